// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A structured grid in natural order: x fastest, then y, then z.
#pragma once

#include <cstdint>
#include <string>

namespace terrace {

/// The place of a cell, counted from 0.
struct GridCell {
  ///@{
  /// Along x, y and z.
  int i = 0, j = 0, k = 0;
  ///@}
  /// Cell by cell.
  bool operator==(const GridCell&) const = default;
};

/// As messages name it: "(3, 0, 2)".
std::string to_string(const GridCell&);

/// nx x ny x nz cells; nz = 1 is a grid in two dimensions.
struct Grid {
  ///@{
  /// Cells along x, y and z.
  int nx = 1, ny = 1, nz = 1;
  ///@}
  /// Extent by extent.
  bool operator==(const Grid&) const = default;

  /// How many unknowns there are.
  std::int64_t cells() const { return std::int64_t(nx) * ny * nz; }

  /// The unknown of a cell: i + nx * (j + ny * k).
  std::int64_t index(const GridCell& cell) const {
    return cell.i + std::int64_t(nx) * (cell.j + std::int64_t(ny) * cell.k);
  }
  /// The cell of an unknown: the inverse of index.
  GridCell cell(std::int64_t index) const;

  /// The anti-diagonals i + j + k = const: how many steps depend on each other in a substitution (Gao, Liang and Wang,
  /// JPDC 74(2), 2014: nx + ny - 1 in two dimensions).
  std::int64_t wavefronts() const { return std::int64_t(nx) + ny + nz - 2; }
};

/// "128 x 64" or "60 x 220 x 85".
std::string to_string(const Grid&);

}  // namespace terrace
