// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/problems/spe10.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <terrace/error.hpp>

#include "common/problems/read_numbers.hpp"

namespace terrace::common {
namespace {

std::vector<double> read_permeability(const std::string& folder, const std::string& name) {
  const auto path = std::filesystem::path(folder) / (name + ".f32");
  const auto numbers = read_numbers<float>(std::filesystem::exists(path) ? path.string() : path.string() + ".gz");
  if (static_cast<std::int64_t>(numbers.size()) != spe10_grid.cells())
    throw Error(ErrorCode::InvalidFile, path.string() + " has " + std::to_string(numbers.size()) +
                                            " numbers; 60 x 220 x 85 cells need " + std::to_string(spe10_grid.cells()));
  return {numbers.begin(), numbers.end()};
}

}  // namespace

Conductivity read_spe10_permeability(const std::string& folder) {
  Conductivity k{read_permeability(folder, "spe10_kx"), {}, read_permeability(folder, "spe10_kz"), {20, 10, 2}};
  k.y = k.x;
  return k;
}

std::vector<Perforation> five_spot(const Grid& grid, const Conductivity& permeability) {
  constexpr double radius = 0.5;
  const double* const size = permeability.size;
  const double equivalent_radius = 0.14 * std::hypot(size[0], size[1]);
  std::vector<Perforation> wells;
  const auto drill = [&](int i, int j, double pressure) {
    for (int layer = 0; layer < grid.nz; ++layer) {
      const auto c = static_cast<std::size_t>(grid.index({i, j, layer}));
      const double index = 2 * std::numbers::pi * permeability.x[c] * size[2] / std::log(equivalent_radius / radius);
      wells.push_back({c, index, pressure});
    }
  };
  drill(grid.nx / 2, grid.ny / 2, 1.0);
  for (const int i : {0, grid.nx - 1})
    for (const int j : {0, grid.ny - 1}) drill(i, j, 0.0);
  std::stable_sort(wells.begin(), wells.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });
  return wells;
}

GridProblem make_pressure_problem(const Grid& grid, const Conductivity& permeability) {
  GridProblem problem = assemble_fluxes(grid, permeability);
  for (const Perforation& well : five_spot(grid, permeability)) {
    problem.center[well.cell] += well.index;
    problem.b[well.cell] += well.index * well.pressure;
  }
  return problem;
}

}  // namespace terrace::common
