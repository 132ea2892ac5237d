// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a KrylovSolver holds, and the loop around its method: its looks at the residuals, and the check at the end.
// Columns start, stop and are judged each for itself; the loop ends with the last of them.
#pragma once

#include <vector>

#include "algorithms/krylov/memory.hpp"
#include "backends/copy_to_host.hpp"
#include "backends/krylov.hpp"

namespace terrace {

template <class Scalar, class Space>
struct KrylovSolver<Scalar, Space>::State {
  using Real = krylov::RealOf<Scalar>;
  using System = krylov::System<Scalar, Space>;
  using Recurrence = krylov::Recurrence<Scalar>;
  using Numbers = std::vector<double>;                    // one for each column
  using Norms = std::vector<krylov::ScaledNorm<double>>;  // the same

  KrylovOptions options;
  std::size_t rows;
  krylov::Memory<Scalar, Space> memory;
  std::vector<Numbers> residuals;  // of each column at the start and after each iteration, in the host's units
  typename krylov::RecorderOf<Space>::type recorder;

  /// Memory for so many columns. When it throws, nothing has changed.
  void prepare(const Space& space, std::size_t count) {
    if (count == memory.columns) return;
    krylov::check_columns(options, count);
    memory = krylov::Memory<Scalar, Space>(space, rows, count, options);
  }

  std::size_t columns() const { return memory.columns; }
  Recurrence& state_of(std::size_t column) { return memory.state_of(column); }
  const Recurrence& state_of(std::size_t column) const { return memory.state_of(column); }

  bool is_running() const {
    for (std::size_t k = 0; k < columns(); ++k)
      if (state_of(k).is_running()) return true;
    return false;
  }

  /// How many iterations until the next look: a column that runs has done as many as were enqueued.
  int iterations_ahead() const {
    int count = memory.history_length;
    for (std::size_t k = 0; k < columns(); ++k)
      if (state_of(k).is_running()) count = std::min(count, options.max_iterations - state_of(k).iterations);
    return count;
  }

  void look(const Space& space) {
    memory.read(space);
    for (std::size_t k = 0; k < columns(); ++k) {
      Numbers& known = residuals[k];
      if (known.empty()) known.push_back(static_cast<double>(state_of(k).residual));
      for (int next = static_cast<int>(known.size()); next <= state_of(k).iterations; ++next)
        known.push_back(memory.residual_of(k, next));
    }
  }

  /// Iterates from x until something has stopped every column.
  void run(const System& system, const Norms& norms_inside) {
    std::vector<krylov::StagnationWatch> watches(columns(), krylov::StagnationWatch(options.stagnation_window));
    const bool repeats = options.replay && !options.time_phases && memory.method->repeats_itself() &&
                         system.A.is_replayable() && system.M.is_replayable();
    bool one_thread = false;
    auto iterate = krylov::make_replay(
        system.space, recorder,
        [&](const Space& space) {
          if (space == system.space && !one_thread) return memory.method->iterate(system);
          System other = system;
          other.space = space;
          other.gathering.one_thread = one_thread;
          memory.method->iterate(other);
        },
        repeats);
    const auto watched_iterate = [&] {
      memory.iterations.run(1, [&](bool alone) {
        one_thread = alone;
        iterate();
      });
    };
    memory.method->start(system);
    look(system.space);
    for (;;) {
      if (stop_columns(watches)) memory.write(system.space);
      if (!is_running()) break;
      for (int ahead = iterations_ahead(); ahead > 0; --ahead) watched_iterate();
      look(system.space);
      report(norms_inside);
    }
    memory.method->conclude(system);
  }

  /// Stops the columns that stagnate or have reached the limit. True when there were some and others go on.
  bool stop_columns(std::vector<krylov::StagnationWatch>& watches) {
    bool stopped = false;
    for (std::size_t k = 0; k < columns(); ++k) {
      Recurrence& state = state_of(k);
      if (!state.is_running()) continue;
      if (watches[k].stagnates(state.iterations, static_cast<double>(state.residual)))
        state.stop(StopReason::Stagnation);
      else if (state.iterations >= options.max_iterations) state.stop(StopReason::IterationLimit);
      stopped = stopped || !state.is_running();
    }
    return stopped && is_running();
  }

  /// The largest residual of all columns, and NaN is larger than any number.
  void report(const Norms& norms_inside) const {
    if (!options.monitor) return;
    int iterations = 0;
    double residual = 0;
    for (std::size_t k = 0; k < columns(); ++k) {
      iterations = std::max(iterations, state_of(k).iterations);
      if (norms_inside[k].value == 0 || std::isnan(residual)) continue;
      const double relative = static_cast<double>(state_of(k).residual) / norms_inside[k].value;
      if (!(relative <= residual)) residual = relative;
    }
    options.monitor(iterations, residual);
  }

  /// Again from where it converged, until b - A x is as small as the recursion says. Returns its norms, relative to b.
  Numbers run_until_true(const System& system, const Norms& norms_of_b, const Norms& norms_inside) {
    Numbers last(columns(), std::numeric_limits<double>::infinity());
    for (;;) {
      memory.write(system.space);
      run(system, norms_inside);
      system.plain_residual(memory.scratch);
      const Norms norms = system.norms_of_noted(memory.scratch);
      Numbers found(columns(), 0.0);
      bool again = false;
      for (std::size_t k = 0; k < columns(); ++k) {
        if (norms_of_b[k].value == 0) continue;
        found[k] = std::ldexp(norms[k].value / norms_of_b[k].value, norms_of_b[k].exponent - norms[k].exponent);
        again = judge(state_of(k), found[k], last[k]) || again;
      }
      if (!again) return found;
    }
  }

  /// True when the column must run again.
  bool judge(Recurrence& state, double residual, double& last) const {
    if (!std::isfinite(residual)) state.status = static_cast<int>(StopReason::NotFinite);
    if (state.status != static_cast<int>(StopReason::Converged) || residual <= options.tolerance) return false;
    if (!(residual < 0.5 * last)) {
      state.status = static_cast<int>(StopReason::Stagnation);
      return false;
    }
    last = residual;
    if (state.residual <= state.target) state.target *= static_cast<Real>(0.5 * options.tolerance / residual);
    state.status = krylov::running;
    return true;
  }

  /// b = 0 is solved, b that is not finite is hopeless; the others run.
  void begin_columns(const System& system, const Norms& norms_of_b, const Norms& norms_inside) {
    residuals.assign(columns(), {});
    for (std::size_t k = 0; k < columns(); ++k) {
      Recurrence& state = state_of(k);
      state = Recurrence();
      state.reference = norms_inside[k].exponent;
      state.target = static_cast<Real>(options.tolerance * norms_inside[k].value);
      if (norms_of_b[k].value == 0) {
        state.stop(StopReason::Converged);
        Kokkos::deep_copy(system.space, Kokkos::subview(system.x, Kokkos::ALL, k), Scalar(0));
      } else if (!std::isfinite(norms_of_b[k].value)) {
        state.stop(StopReason::NotFinite);
      }
    }
  }

  KrylovResult result_of(std::size_t column, double norm_of_b, double norm_inside, double residual) const {
    KrylovResult result;
    const Recurrence& state = state_of(column);
    result.reason = static_cast<StopReason>(state.status);
    if (norm_of_b == 0) {
      result.residuals.push_back(0.0);
    } else if (!std::isfinite(norm_of_b)) {
      result.residuals.push_back(norm_of_b);
      result.recursive_residual = result.true_residual = norm_of_b;
    } else {
      result.iterations = state.iterations;
      result.true_residual = residual;
      for (const double norm : residuals[column]) result.residuals.push_back(norm / norm_inside);
      result.recursive_residual = static_cast<double>(state.residual) / norm_inside;
    }
    return result;
  }

  /// ||b|| or ||M b||: what the residuals of the recursion are relative to.
  Norms norms_of_input(const System& system, const Norms& norms_of_b) const {
    if (!system.left || system.M.is_identity()) return norms_of_b;
    system.precondition_input(memory.method->spare_vectors(), memory.scratch);
    Norms norms = system.norms_of(memory.scratch);
    for (std::size_t k = 0; k < columns(); ++k) norms[k].exponent += norms_of_b[k].exponent;
    return norms;
  }

  std::vector<KrylovResult> solve(const System& system) {
    const Norms norms_of_b = system.norms_of(system.b);
    const Norms norms_inside = norms_of_input(system, norms_of_b);
    begin_columns(system, norms_of_b, norms_inside);
    Numbers relative(columns(), 0.0);
    if (is_running()) relative = run_until_true(system, norms_of_b, norms_inside);
    std::vector<KrylovResult> results;
    for (std::size_t k = 0; k < columns(); ++k)
      results.push_back(result_of(k, norms_of_b[k].value, norms_inside[k].value, relative[k]));
    return results;
  }
};

}  // namespace terrace
