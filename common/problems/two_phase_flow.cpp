// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/problems/two_phase_flow.hpp"

#include <algorithm>

namespace terrace::common {
namespace {

constexpr Phase phases[] = {Oil, Water};

/// The saturation of a phase, and its derivative with respect to S_w.
double saturation_of(Phase phase, double water) { return phase == Water ? water : 1 - water; }
constexpr double slope_of(Phase phase) { return phase == Water ? 1 : -1; }

struct Assembly {
  const TwoPhaseFlow& flow;
  const FlowState& beginning;
  const FlowState& end;
  std::size_t c;
  CellEquations& cell;
  Block own{};

  void accumulate() {
    const double rate = flow.volume * porosity / flow.step;
    const double swelling = 1 + rock_compressibility * (end.pressure[c] - beginning.pressure[c]);
    for (const Phase a : phases) {
      const double now = saturation_of(a, end.saturation[c]), before = saturation_of(a, beginning.saturation[c]);
      cell.residual[a] += rate * (swelling * now - before);
      own[a][0] += rate * rock_compressibility * now;
      own[a][1] += rate * swelling * slope_of(a);
    }
  }

  /// What leaves the cell for a neighbor. Where the pressures are equal, both cells take the lower number for upstream.
  void flow_to(std::size_t neighbor, double transmissibility, Block& other) {
    const double drop = end.pressure[c] - end.pressure[neighbor];
    const bool leaves = drop > 0 || (drop == 0 && c < neighbor);
    Block& upstream = leaves ? own : other;
    for (const Phase a : phases) {
      const Mobility mobility = find_mobility(a, end.saturation[leaves ? c : neighbor]);
      cell.residual[a] += transmissibility * mobility.value * drop;
      own[a][0] += transmissibility * mobility.value;
      other[a][0] -= transmissibility * mobility.value;
      upstream[a][1] += transmissibility * mobility.slope * drop;
    }
  }

  void add_well(const Perforation& well) {
    const double drop = end.pressure[c] - well.pressure;
    const Mobility oil = find_mobility(Oil, end.saturation[c]), water = find_mobility(Water, end.saturation[c]);
    const bool injects = drop < 0;
    const Mobility taken[2] = {injects ? Mobility{0, 0} : oil,
                               injects ? Mobility{oil.value + water.value, oil.slope + water.slope} : water};
    for (const Phase a : phases) {
      cell.residual[a] += well.index * taken[a].value * drop;
      own[a][0] += well.index * taken[a].value;
      own[a][1] += well.index * taken[a].slope * drop;
    }
  }
};

}  // namespace

Mobility find_mobility(Phase phase, double water_saturation) {
  const double range = 1 - 2 * residual_saturation;
  const double viscosity = phase == Water ? water_viscosity : oil_viscosity;
  const double movable = (saturation_of(phase, water_saturation) - residual_saturation) / range;
  if (movable <= 0) return {0, 0};
  if (movable >= 1) return {1 / viscosity, 0};
  return {movable * movable / viscosity, 2 * movable * slope_of(phase) / (range * viscosity)};
}

CellEquations assemble_cell(const TwoPhaseFlow& flow, const FlowState& beginning, const FlowState& end,
                            const GridCell& at) {
  CellEquations cell;
  const auto c = static_cast<std::size_t>(flow.grid.index(at));
  Assembly assembly{flow, beginning, end, c, cell};
  const std::vector<double>* const T[3] = {&flow.x, &flow.y, &flow.z};
  for_each_column(flow.grid, at, [&](std::size_t column, int d, int side) {
    const auto k = static_cast<std::size_t>(cell.columns++);
    cell.cells[k] = column;
    if (side == 0) cell.own = static_cast<int>(k);
    else assembly.flow_to(column, (*T[d])[side < 0 ? column : c], cell.blocks[k]);
  });
  assembly.accumulate();
  auto well = std::lower_bound(flow.wells.begin(), flow.wells.end(), c,
                               [](const Perforation& one, std::size_t number) { return one.cell < number; });
  for (; well != flow.wells.end() && well->cell == c; ++well) assembly.add_well(*well);
  cell.blocks[static_cast<std::size_t>(cell.own)] = assembly.own;
  return cell;
}

}  // namespace terrace::common
