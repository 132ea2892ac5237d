// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grids/grid_system.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "matrices/right_hand_side.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

void add(Rows& rows, int column, double value) {
  rows.entries.push_back(column);
  rows.values.push_back(value);
}

void end_row(Rows& rows) { rows.row_map.push_back(static_cast<int>(rows.entries.size())); }

/// The rows of one node, after those of all nodes before it.
void add_rows(GridSystem& system, int c, const int (&steps)[3]) {
  const std::vector<double>* const couplings[3] = {&system.x, &system.y, &system.z};
  double pivot = system.center[c];
  for (int d = 2; d >= 0; --d) {
    if (c < steps[d] || (*couplings[d])[c - steps[d]] == 0.0) continue;
    const double value = (*couplings[d])[c - steps[d]];
    add(system.A, c - steps[d], value);
    add(system.lower, c - steps[d], value);
    pivot -= value * value * system.inverse[c - steps[d]];
  }
  system.inverse[c] = 1 / pivot;
  add(system.A, c, system.center[c]);
  add(system.lower, c, pivot);
  add(system.upper, c, pivot);
  for (int d = 0; d < 3; ++d) {
    if ((*couplings[d])[c] == 0.0) continue;
    add(system.A, c + steps[d], (*couplings[d])[c]);
    add(system.upper, c + steps[d], (*couplings[d])[c]);
  }
  for (Rows* rows : {&system.A, &system.lower, &system.upper}) end_row(*rows);
}

}  // namespace

GridSystem make_grid_diagonals(int nx, int ny, int nz) {
  GridSystem system{nx, ny, nz, {}, {}, {}, {}, {}, {}, {}, {}, make_right_hand_side(nx * ny * nz)};
  const int n = system.n(), plane = nx * ny;
  system.center.assign(n, nz > 1 ? 6.0 : 4.0);
  for (auto* diagonal : {&system.x, &system.y, &system.z}) diagonal->assign(n, 0.0);
  for (int c = 0; c < n; ++c) {
    system.x[c] = c % nx + 1 < nx ? -1.0 : 0.0;
    system.y[c] = c / nx % ny + 1 < ny ? -1.0 : 0.0;
    system.z[c] = c / plane + 1 < nz ? -1.0 : 0.0;
  }
  return system;
}

GridSystem make_grid_system(int nx, int ny, int nz) {
  GridSystem system = make_grid_diagonals(nx, ny, nz);
  const int n = system.n(), steps[3] = {1, nx, nx * ny};
  system.inverse.assign(n, 0.0);
  for (Rows* rows : {&system.A, &system.lower, &system.upper}) rows->n = n;
  for (int c = 0; c < n; ++c) add_rows(system, c, steps);
  return system;
}

double GridProblem::check(const std::string&, Phase phase, const std::vector<double>& found) {
  if (phase == Phase::Solve) {
    if (!(found[0] <= 1e-8)) throw std::runtime_error("not solved");
    return found[0];
  }
  if (!expected_.contains(phase)) {
    const std::unique_ptr<Method> loops = grid_serial_loop().make(*this);
    const Phase one = phase == Phase::ApplyEight ? Phase::Apply : phase;
    loops->run(one, checked_steps);
    expected_[phase] = loops->result(one);
  }
  const std::vector<double>& expected = expected_[phase];
  if (found.size() != expected.size()) throw std::runtime_error("of another length");
  double largest = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i] - expected[i]);
    if (!std::isfinite(error)) throw std::runtime_error("not finite in cell " + std::to_string(i));
    largest = std::max(largest, error);
    scale = std::max(scale, std::abs(expected[i]));
  }
  if (!(largest <= 1e-9 * scale)) throw std::runtime_error("wrong by " + std::to_string(largest / scale));
  return largest / scale;
}

}  // namespace terrace::perf
