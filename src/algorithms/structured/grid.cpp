// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <terrace/grid.hpp>

namespace terrace {

std::string to_string(const GridCell& cell) {
  return std::string("(") + std::to_string(cell.i) + ", " + std::to_string(cell.j) + ", " + std::to_string(cell.k) + ")";
}

std::string to_string(const Grid& grid) {
  const std::string plane = std::to_string(grid.nx) + " x " + std::to_string(grid.ny);
  return grid.nz == 1 ? plane : plane + " x " + std::to_string(grid.nz);
}

GridCell Grid::cell(std::int64_t index) const {
  const std::int64_t line = index / nx;
  return {static_cast<int>(index % nx), static_cast<int>(line % ny), static_cast<int>(line / ny)};
}

}  // namespace terrace
