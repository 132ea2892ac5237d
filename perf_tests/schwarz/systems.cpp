// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schwarz/systems.hpp"

#include <algorithm>
#include <cmath>
#include <terrace/error.hpp>

#include "common/harness/method.hpp"
#include "common/problems/convection.hpp"
#include "common/problems/reservoir.hpp"
#include "common/problems/spe10.hpp"
#include "common/random.hpp"

namespace terrace::perf {
namespace {

constexpr Grid toy_reservoir{8, 22, 10};

SchwarzSystem convection(const Grid& grid, double wind) {
  common::RowsProblem problem = common::make_convection(grid, wind);
  return {grid, 1, in_ints(std::move(problem.A)), std::move(problem.b)};
}

SchwarzShape poisson_shape(const std::string& name, const Grid& toy, const Grid& full) {
  return {name, false, false,
          [=](const Flags& flags) { return convection(flags.size == Size::Toy ? toy : full, 0.0); }};
}

SchwarzShape convection_shape(const std::string& name, const Grid& toy, const Grid& full) {
  return {name, false, true,
          [=](const Flags& flags) { return convection(flags.size == Size::Toy ? toy : full, flags.wind); }};
}

Grid reservoir_grid(const Flags& flags) { return flags.size == Size::Toy ? toy_reservoir : common::spe10_grid; }

/// Toy: seeded, over two orders of magnitude.
common::Conductivity permeability(const Flags& flags) {
  if (flags.size == Size::Full) try {
      return common::read_spe10_permeability(flags.data);
    } catch (const Error& error) {
      throw LeftOut(std::string(error.what()) + "; --data=DIR names the folder of spe10_kx and spe10_kz");
    }
  common::Random random(3);
  common::Conductivity k{std::vector<double>(static_cast<std::size_t>(toy_reservoir.cells())), {}, {}, {20, 10, 2}};
  for (double& number : k.x) number = std::pow(10.0, 1.0 + 2.0 * random.uniform());
  k.y = k.z = k.x;
  return k;
}

SchwarzSystem spe10(const Flags& flags) {
  const Grid grid = reservoir_grid(flags);
  common::GridProblem problem = common::make_pressure_problem(grid, permeability(flags));
  return {grid, 1, in_ints(common::to_rows(problem)), std::move(problem.b)};
}

SchwarzSystem reservoir(const Flags& flags) {
  const Grid grid = reservoir_grid(flags);
  common::RowsProblem problem = common::make_reservoir(grid, permeability(flags));
  return {grid, problem.unknowns_per_cell, in_ints(std::move(problem.A)), std::move(problem.b), 1e-3};
}

}  // namespace

const std::vector<SchwarzShape>& schwarz_shapes() {
  static const std::vector<SchwarzShape> all{poisson_shape("grid7-120", {14, 14, 14}, {120, 120, 120}),
                                             poisson_shape("grid7-148x148x58", {18, 18, 8}, {148, 148, 58}),
                                             poisson_shape("grid7-60x220x85", {8, 22, 10}, {60, 220, 85}),
                                             convection_shape("convection-148x148x58", {18, 18, 8}, {148, 148, 58}),
                                             convection_shape("convection-148x148x68", {18, 18, 9}, {148, 148, 68}),
                                             {"spe10", true, false, spe10},
                                             {"reservoir", true, false, reservoir}};
  return all;
}

std::vector<SchwarzShape> chosen_schwarz_shapes(const Flags& flags) {
  require_choices("--shapes", flags.shapes, names_of(schwarz_shapes()));
  const bool has_data = !flags.data.empty() || flags.size == Size::Toy;
  std::vector<SchwarzShape> chosen;
  for (const SchwarzShape& shape : schwarz_shapes()) {
    const bool is_usual = !shape.only_by_name && (has_data || !shape.needs_data);
    if (flags.shapes.empty() ? is_usual : is_chosen(shape.name, flags.shapes)) chosen.push_back(shape);
  }
  return chosen;
}

}  // namespace terrace::perf
