// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>
#include <numbers>
#include <terrace/error.hpp>

#include "system/grid_problem.hpp"

namespace terrace::tools {
namespace {

GridProblem make_empty(const Grid& grid) {
  const auto n = static_cast<std::size_t>(grid.cells());
  GridProblem problem{grid, {}, {}, {}, {}, {}, {}};
  for (auto* numbers : {&problem.center, &problem.x, &problem.y, &problem.z, &problem.b}) numbers->assign(n, 0.0);
  return problem;
}

/// Couplings of constant strength; the center counts the neighbors beyond the boundary too, whose value is zero.
GridProblem make_constant(const Grid& grid, const double (&strength)[3]) {
  GridProblem problem = make_empty(grid);
  std::vector<double>* const diagonals[3] = {&problem.x, &problem.y, &problem.z};
  for_each_face(grid, [&](std::size_t c, std::size_t, int d) { (*diagonals[d])[c] = -strength[d]; });
  const double sum = 2 * (strength[0] + strength[1] + (grid.nz > 1 ? strength[2] : 0.0));
  problem.center.assign(problem.center.size(), sum);
  return problem;
}

/// Waves of conductivity in the unit cube; the value zero is held half a cell outside the boundary cells.
GridProblem make_variable(const Grid& grid) {
  const auto n = static_cast<std::size_t>(grid.cells());
  std::vector<double> k(n);
  for (std::size_t c = 0; c < n; ++c) {
    const GridCell at = grid.cell(static_cast<std::int64_t>(c));
    const double x = (at.i + 0.5) / grid.nx, y = (at.j + 0.5) / grid.ny, z = (at.k + 0.5) / grid.nz;
    k[c] = std::exp(2 * std::sin(5 * std::numbers::pi * x) * std::sin(7 * std::numbers::pi * y) *
                    std::cos(3 * std::numbers::pi * z));
  }
  GridProblem problem = assemble_fluxes(grid, {k, k, k, {1, 1, 1}});
  for (std::size_t c = 0; c < n; ++c) {
    const GridCell at = grid.cell(static_cast<std::int64_t>(c));
    const int faces = (at.i == 0) + (at.i + 1 == grid.nx) + (at.j == 0) + (at.j + 1 == grid.ny) +
                      (grid.nz > 1 ? (at.k == 0) + (at.k + 1 == grid.nz) : 0);
    problem.center[c] += 2 * faces * k[c];
  }
  return problem;
}

}  // namespace

std::int64_t count_entries(const Grid& grid) {
  const std::int64_t nx = grid.nx, ny = grid.ny, nz = grid.nz;
  return grid.cells() + 2 * ((nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1));
}

HostMatrix<double> to_rows(const GridProblem& problem) {
  const Grid& grid = problem.grid;
  if (grid.cells() > std::numeric_limits<int>::max())
    throw Error(ErrorCode::OutOfMemory,
                "the " + to_string(grid) + " grid has more cells than compressed rows can count");
  HostMatrix<double> matrix;
  const std::int64_t steps[3] = {1, grid.nx, std::int64_t(grid.nx) * grid.ny};
  const std::vector<double>* const diagonals[3] = {&problem.x, &problem.y, &problem.z};
  const auto add = [&matrix](std::int64_t column, double value) {
    matrix.entries.push_back(static_cast<int>(column));
    matrix.values.push_back(value);
  };
  matrix.n = static_cast<int>(grid.cells());
  matrix.entries.reserve(static_cast<std::size_t>(count_entries(grid)));
  matrix.values.reserve(matrix.entries.capacity());
  for (std::int64_t c = 0; c < grid.cells(); ++c) {
    const GridCell at = grid.cell(c);
    const bool has_lower[3] = {at.i > 0, at.j > 0, at.k > 0};
    const bool has_upper[3] = {at.i + 1 < grid.nx, at.j + 1 < grid.ny, at.k + 1 < grid.nz};
    for (int d = 2; d >= 0; --d)
      if (has_lower[d]) add(c - steps[d], (*diagonals[d])[static_cast<std::size_t>(c - steps[d])]);
    add(c, problem.center[static_cast<std::size_t>(c)]);
    for (int d = 0; d < 3; ++d)
      if (has_upper[d]) add(c + steps[d], (*diagonals[d])[static_cast<std::size_t>(c)]);
    matrix.row_map.push_back(matrix.entries.size());
  }
  return matrix;
}

GridProblem assemble_fluxes(const Grid& grid, const Conductivity& conductivity) {
  GridProblem problem = make_empty(grid);
  std::vector<double>* const diagonals[3] = {&problem.x, &problem.y, &problem.z};
  const std::vector<double>* const k[3] = {&conductivity.x, &conductivity.y, &conductivity.z};
  const double volume = conductivity.size[0] * conductivity.size[1] * conductivity.size[2];
  for_each_face(grid, [&](std::size_t c, std::size_t other, int d) {
    const double low = (*k[d])[c], high = (*k[d])[other];
    const double mean = low + high > 0 ? 2 * low * high / (low + high) : 0.0;
    const double flux = mean * volume / (conductivity.size[d] * conductivity.size[d]);
    (*diagonals[d])[c] = -flux;
    problem.center[c] += flux;
    problem.center[other] += flux;
  });
  return problem;
}

GridProblem make_builtin_problem(const Grid& grid, const std::string& name) {
  GridProblem problem = name == "poisson"       ? make_constant(grid, {1, 1, 1})
                        : name == "anisotropic" ? make_constant(grid, {1, 0.01, 0.01})
                                                : make_variable(grid);
  problem.description = name;
  problem.b.assign(problem.b.size(), 1.0);
  return problem;
}

}  // namespace terrace::tools
