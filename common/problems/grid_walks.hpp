// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways through a structured grid: cell by cell, face by face, and around a cell.
#pragma once

#include <cstddef>
#include <terrace/grid.hpp>

namespace terrace::common {

/// Calls visit(cell), with its place, in ascending order.
template <class Visit>
void for_each_cell(const Grid& grid, const Visit& visit) {
  for (int k = 0; k < grid.nz; ++k)
    for (int j = 0; j < grid.ny; ++j)
      for (int i = 0; i < grid.nx; ++i) visit(GridCell{i, j, k});
}

/// From a cell to the next along x, y and z.
struct GridSteps {
  explicit GridSteps(const Grid& grid)
      : along{1, static_cast<std::size_t>(grid.nx), static_cast<std::size_t>(grid.nx) * grid.ny} {}
  std::size_t along[3];
};

/// Calls visit(cell, neighbor, direction) for each pair of neighbors, the lower number first.
template <class Visit>
void for_each_face(const Grid& grid, const Visit& visit) {
  const GridSteps steps(grid);
  for_each_cell(grid, [&](const GridCell& at) {
    const auto c = static_cast<std::size_t>(grid.index(at));
    const bool has_next[3] = {at.i + 1 < grid.nx, at.j + 1 < grid.ny, at.k + 1 < grid.nz};
    for (int d = 0; d < 3; ++d)
      if (has_next[d]) visit(c, c + steps.along[d], d);
  });
}

/// Calls visit(cell, direction, side) for the neighbors before a cell (side -1), the cell itself (0) and the neighbors
/// behind it (1): the columns of its row in ascending order.
template <class Visit>
void for_each_column(const Grid& grid, const GridCell& at, const Visit& visit) {
  const GridSteps steps(grid);
  const auto c = static_cast<std::size_t>(grid.index(at));
  const bool has_previous[3] = {at.i > 0, at.j > 0, at.k > 0};
  const bool has_next[3] = {at.i + 1 < grid.nx, at.j + 1 < grid.ny, at.k + 1 < grid.nz};
  for (int d = 2; d >= 0; --d)
    if (has_previous[d]) visit(c - steps.along[d], d, -1);
  visit(c, 0, 0);
  for (int d = 0; d < 3; ++d)
    if (has_next[d]) visit(c + steps.along[d], d, 1);
}

}  // namespace terrace::common
