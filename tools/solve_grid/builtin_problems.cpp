// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <numbers>

#include "solve_grid/grid_problem.hpp"

namespace terrace::tools {
namespace {

GridProblem make_empty(const Grid& grid) {
  const auto n = static_cast<std::size_t>(grid.cells());
  GridProblem problem{grid, {}, {}, {}, {}, {}, {}};
  for (auto* numbers : {&problem.center, &problem.x, &problem.y, &problem.z, &problem.b}) numbers->assign(n, 0.0);
  return problem;
}

/// Calls visit(cell, neighbour, direction) for each pair of neighbours, the lower number first.
template <class Visit>
void for_each_face(const Grid& grid, const Visit& visit) {
  for (int k = 0; k < grid.nz; ++k)
    for (int j = 0; j < grid.ny; ++j)
      for (int i = 0; i < grid.nx; ++i) {
        const auto c = static_cast<std::size_t>(grid.index({i, j, k}));
        if (i + 1 < grid.nx) visit(c, c + 1, 0);
        if (j + 1 < grid.ny) visit(c, c + static_cast<std::size_t>(grid.nx), 1);
        if (k + 1 < grid.nz) visit(c, c + static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny), 2);
      }
}

/// Couplings of constant strength; the centre counts the neighbours beyond the boundary too, whose value is zero.
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
