// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A symmetric positive definite system on a grid, on the host, as diagonals and as compressed rows.
#pragma once

#include <string>
#include <vector>

#include "harness/lower_triangle.hpp"

namespace terrace::perf {

/// Compressed rows in ints, as the peers want them.
struct Rows {
  std::vector<int> row_map{0};
  std::vector<int> entries;  ///< ascending in each row
  std::vector<double> values;
};

/// The Laplacian on nx x ny x nz nodes inside a box; M = (D + L) D^-1 (D + L)^T is its IC(0).
struct GridSystem {
  int nx, ny, nz;
  std::vector<double> center, x, y, z;  ///< diagonals: the centre, and the couplings to the next node in each direction
  Rows A;
  Rows lower, upper;            ///< D + L and D + L^T
  std::vector<double> inverse;  ///< 1 / D
  std::vector<double> b;

  int n() const { return nx * ny * nz; }
  std::string name() const;
};

GridSystem make_grid_system(int nx, int ny, int nz);

/// The same with diagonals and b alone.
GridSystem make_grid_diagonals(int nx, int ny, int nz);

/// What one application of M^-1 to b, one product A b, and the x of `iterations` of preconditioned conjugate gradients
/// from zero are, by plain loops over the rows.
std::vector<double> apply_reference(const GridSystem& system);
std::vector<double> multiply_reference(const GridSystem& system);
std::vector<double> iterate_reference(const GridSystem& system, int iterations);

}  // namespace terrace::perf
