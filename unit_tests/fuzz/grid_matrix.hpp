// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of structured grids for draws.
#pragma once

#include <terrace/grid.hpp>

#include "fuzz/judge.hpp"

namespace terrace::fuzz {

struct HostGridMatrix {
  Grid grid;
  bool is_symmetric = true;
  bool is_wild = false;
  Numbers diagonals[7];  ///< center, upper x, y, z, lower x, y, z; a symmetric matrix has the first four

  int size() const { return static_cast<int>(grid.cells()); }
  void draw_values(Draw& draw, const ScalarTraits& traits);
  Rows rows() const;

  /// A symmetric matrix that must be refused.
  bool lacks_positive_center() const;

  /// (D + L) D^-1 (D + U) as a product of two triangles, of which the first has a unit diagonal. The pivots are checked
  /// by their recurrence first.
  MergedFactor merged(const Numbers& inverse_pivots, double relaxation, double shift, const ScalarTraits& traits) const;
};

HostGridMatrix draw_grid_matrix(Draw& draw, const ScalarTraits& traits);

}  // namespace terrace::fuzz
