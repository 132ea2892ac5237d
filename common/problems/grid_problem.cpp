// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/problems/grid_problem.hpp"

#include <limits>
#include <terrace/error.hpp>

namespace terrace::common {

GridProblem make_empty(const Grid& grid) {
  const auto n = static_cast<std::size_t>(grid.cells());
  GridProblem problem{grid, {}, {}, {}, {}, {}, {}};
  for (auto* numbers : {&problem.center, &problem.x, &problem.y, &problem.z, &problem.b}) numbers->assign(n, 0.0);
  return problem;
}

std::int64_t count_entries(const Grid& grid) {
  const std::int64_t nx = grid.nx, ny = grid.ny, nz = grid.nz;
  return grid.cells() + 2 * ((nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1));
}

void check_rows(const Grid& grid, int unknowns) {
  if (grid.cells() <= std::numeric_limits<int>::max() / unknowns) return;
  throw Error(ErrorCode::OutOfMemory, "the " + std::to_string(grid.nx) + " x " + std::to_string(grid.ny) + " x " +
                                          std::to_string(grid.nz) +
                                          " grid has more unknowns than compressed rows can count");
}

HostMatrix<double> to_rows(const GridProblem& problem) {
  const Grid& grid = problem.grid;
  check_rows(grid, 1);
  HostMatrix<double> matrix;
  matrix.n = static_cast<int>(grid.cells());
  matrix.row_map.reserve(static_cast<std::size_t>(matrix.n) + 1);
  matrix.entries.reserve(static_cast<std::size_t>(count_entries(grid)));
  matrix.values.reserve(matrix.entries.capacity());
  const std::vector<double>* const diagonals[3] = {&problem.x, &problem.y, &problem.z};
  for_each_cell(grid, [&](const GridCell& at) {
    const auto c = static_cast<std::size_t>(grid.index(at));
    for_each_column(grid, at, [&](std::size_t column, int d, int side) {
      matrix.entries.push_back(static_cast<int>(column));
      matrix.values.push_back(side == 0 ? problem.center[c] : (*diagonals[d])[side < 0 ? column : c]);
    });
    matrix.row_map.push_back(matrix.entries.size());
  });
  return matrix;
}

GridProblem assemble_fluxes(const Grid& grid, const Conductivity& conductivity) {
  GridProblem problem = make_empty(grid);
  std::vector<double>* const diagonals[3] = {&problem.x, &problem.y, &problem.z};
  const std::vector<double>* const k[3] = {&conductivity.x, &conductivity.y, &conductivity.z};
  for_each_face(grid, [&](std::size_t c, std::size_t other, int d) {
    const double low = (*k[d])[c], high = (*k[d])[other];
    const double mean = low + high > 0 ? 2 * low * high / (low + high) : 0.0;
    const double flux = mean * conductivity.volume() / (conductivity.size[d] * conductivity.size[d]);
    (*diagonals[d])[c] = -flux;
    problem.center[c] += flux;
    problem.center[other] += flux;
  });
  return problem;
}

}  // namespace terrace::common
