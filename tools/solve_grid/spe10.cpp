// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <filesystem>
#include <numbers>
#include <terrace/error.hpp>

#include "solve_grid/grid_problem.hpp"

namespace terrace::tools {
namespace {

constexpr Grid spe10_grid{60, 220, 85};

std::vector<double> read_permeability(const std::string& folder, const std::string& name) {
  const auto path = std::filesystem::path(folder) / (name + ".f32");
  const auto numbers = read_numbers<float>(std::filesystem::exists(path) ? path.string() : path.string() + ".gz");
  if (static_cast<std::int64_t>(numbers.size()) != spe10_grid.cells())
    throw Error(ErrorCode::InvalidFile, path.string() + " has " + std::to_string(numbers.size()) + " numbers; " +
                                            to_string(spe10_grid) + " cells need " +
                                            std::to_string(spe10_grid.cells()));
  return {numbers.begin(), numbers.end()};
}

/// Holds the pressure of a vertical well in all layers (Peaceman, SPE Journal 18(3), 1978).
void add_well(GridProblem& problem, const Conductivity& k, int i, int j, double pressure) {
  constexpr double radius = 0.5;
  const double equivalent_radius = 0.14 * std::hypot(k.size[0], k.size[1]);
  for (int layer = 0; layer < spe10_grid.nz; ++layer) {
    const auto c = static_cast<std::size_t>(spe10_grid.index({i, j, layer}));
    const double index = 2 * std::numbers::pi * k.x[c] * k.size[2] / std::log(equivalent_radius / radius);
    problem.center[c] += index;
    problem.b[c] += index * pressure;
  }
}

}  // namespace

GridProblem make_spe10(const std::string& folder, ProgressLine& progress) {
  progress.stage("reading the permeability");
  Conductivity k{read_permeability(folder, "spe10_kx"), {}, read_permeability(folder, "spe10_kz"), {20, 10, 2}};
  k.y = k.x;
  GridProblem problem = assemble_fluxes(spe10_grid, k);
  problem.description = "spe10";
  add_well(problem, k, spe10_grid.nx / 2, spe10_grid.ny / 2, 1.0);
  for (const int i : {0, spe10_grid.nx - 1})
    for (const int j : {0, spe10_grid.ny - 1}) add_well(problem, k, i, j, 0.0);
  return problem;
}

}  // namespace terrace::tools
