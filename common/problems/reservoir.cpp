// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/problems/reservoir.hpp"

#include <algorithm>

#include "common/random.hpp"

namespace terrace::common {
namespace {

constexpr double largest_pressure = 6000;  // psi
constexpr double days = 1;

/// T from the couplings of the pressure problem, which are -T in millidarcy feet.
std::vector<double> transmissibilities(std::vector<double> couplings) {
  for (double& number : couplings) number *= -darcy_constant;
  return couplings;
}

/// p in 0 ... 1.
FlowState make_state(std::vector<double> p) {
  Random random(1);
  FlowState state{std::move(p), {}};
  for (double& pressure : state.pressure) {
    const double front = std::min(1.0, std::max(0.02, 1.5 * (pressure - 0.3) / 0.7));
    state.saturation.push_back(0.2 + 0.6 * front * (0.9 + 0.1 * random.uniform()));
    pressure *= largest_pressure;
  }
  return state;
}

Block inverse(const Block& block) {
  const double determinant = block[0][0] * block[1][1] - block[0][1] * block[1][0];
  return {{{block[1][1] / determinant, -block[0][1] / determinant},
           {-block[1][0] / determinant, block[0][0] / determinant}}};
}

/// Two numbers below each other, multiplied from the left.
void multiply(const Block& factor, double& upper, double& lower) {
  const double first = factor[0][0] * upper + factor[0][1] * lower;
  lower = factor[1][0] * upper + factor[1][1] * lower;
  upper = first;
}

/// The two rows of a cell.
void append_rows(const CellEquations& cell, RowsProblem& problem) {
  for (const Phase a : {Oil, Water}) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(cell.columns); ++k)
      for (std::size_t unknown = 0; unknown < 2; ++unknown) {
        problem.A.entries.push_back(static_cast<int>(2 * cell.cells[k] + unknown));
        problem.A.values.push_back(cell.blocks[k][a][unknown]);
      }
    problem.A.row_map.push_back(problem.A.entries.size());
    problem.b.push_back(-cell.residual[a]);
  }
}

}  // namespace

ReservoirStep begin_reservoir_step(const Grid& grid, const Conductivity& permeability, const WatchResidual& watch) {
  GridProblem pressure = make_pressure_problem(grid, permeability);
  pressure.description = "the pressure of reservoir";
  FlowState state = make_state(solve_diagonals(pressure, reservoir_pressure_tolerance, watch));
  std::vector<Perforation> wells = five_spot(grid, permeability);
  for (Perforation& well : wells) {
    well.index *= darcy_constant;
    well.pressure *= largest_pressure;
  }
  return {{grid, transmissibilities(std::move(pressure.x)), transmissibilities(std::move(pressure.y)),
           transmissibilities(std::move(pressure.z)), std::move(wells), permeability.volume(), days},
          std::move(state)};
}

RowsProblem linearize(const TwoPhaseFlow& flow, const FlowState& beginning, const FlowState& end) {
  check_rows(flow.grid, 2);
  RowsProblem problem{flow.grid, 2, {}, {}, {}};
  const auto rows = static_cast<std::size_t>(2 * flow.grid.cells());
  const auto entries = static_cast<std::size_t>(4 * count_entries(flow.grid));
  problem.A.n = static_cast<int>(rows);
  problem.A.row_map.reserve(rows + 1);
  problem.A.entries.reserve(entries);
  problem.A.values.reserve(entries);
  problem.b.reserve(rows);
  for_each_cell(flow.grid, [&](const GridCell& at) { append_rows(assemble_cell(flow, beginning, end, at), problem); });
  return problem;
}

void scale_by_diagonal_blocks(RowsProblem& problem) {
  HostMatrix<double>& A = problem.A;
  for (int row = 0; row < A.n; row += 2) {
    const std::size_t first = A.row_map[row], length = A.row_map[row + 1] - first;
    double* const upper = A.values.data() + first;
    double* const lower = upper + length;
    const int* const columns = A.entries.data() + first;
    const auto own = static_cast<std::size_t>(std::lower_bound(columns, columns + length, row) - columns);
    const Block factor = inverse({{{upper[own], upper[own + 1]}, {lower[own], lower[own + 1]}}});
    for (std::size_t k = 0; k < length; ++k) multiply(factor, upper[k], lower[k]);
    multiply(factor, problem.b[row], problem.b[row + 1]);
    upper[own] = lower[own + 1] = 1;
    upper[own + 1] = lower[own] = 0;
  }
}

RowsProblem make_reservoir(const Grid& grid, const Conductivity& permeability, const WatchResidual& watch) {
  check_rows(grid, 2);
  const ReservoirStep step = begin_reservoir_step(grid, permeability, watch);
  RowsProblem problem = linearize(step.flow, step.state, step.state);
  scale_by_diagonal_blocks(problem);
  problem.description = "reservoir";
  return problem;
}

}  // namespace terrace::common
