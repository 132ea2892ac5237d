// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <numbers>

#include "system/grid_problem.hpp"

namespace terrace::tools {
namespace {

using common::make_empty;

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
  GridProblem problem = common::assemble_fluxes(grid, {k, k, k, {1, 1, 1}});
  for (std::size_t c = 0; c < n; ++c) {
    const GridCell at = grid.cell(static_cast<std::int64_t>(c));
    const int faces = (at.i == 0) + (at.i + 1 == grid.nx) + (at.j == 0) + (at.j + 1 == grid.ny) +
                      (grid.nz > 1 ? (at.k == 0) + (at.k + 1 == grid.nz) : 0);
    problem.center[c] += 2 * faces * k[c];
  }
  return problem;
}

}  // namespace

GridProblem make_builtin_problem(const Grid& grid, const std::string& name) {
  GridProblem problem = name == "poisson"       ? make_constant(grid, {1, 1, 1})
                        : name == "anisotropic" ? make_constant(grid, {1, 0.01, 0.01})
                                                : make_variable(grid);
  problem.description = name;
  problem.b.assign(problem.b.size(), 1.0);
  return problem;
}

}  // namespace terrace::tools
