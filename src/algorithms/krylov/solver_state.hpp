// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a KrylovSolver holds, and the loop around its method: its looks at the residuals, and the check at the end.
// Columns start, stop and are judged each for itself; the loop ends with the last of them.
#pragma once

#include <vector>

#include "algorithms/krylov/make_method.hpp"
#include "backends/dispatch.hpp"

namespace terrace {

template <class Scalar, class Space>
struct KrylovSolver<Scalar, Space>::State {
  using Real = krylov::RealOf<Scalar>;
  using System = krylov::System<Scalar, Space>;
  using Recurrence = krylov::Recurrence<Scalar>;
  using Device = analysis::Device<Space>;
  using Numbers = std::vector<double>;  // one for each column

  KrylovOptions options;
  std::size_t rows;
  std::size_t columns = 0;
  std::unique_ptr<krylov::Method<Scalar, Space>> method;
  Kokkos::View<Recurrence*, Device> recurrence;
  std::vector<Recurrence> host_memory;
  Kokkos::View<Recurrence*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host;
  Kokkos::View<Real*, Device> history, norms;
  typename System::Vectors scratch;
  krylov::GatheringMemory<Scalar, Space> gathering;
  typename krylov::RecorderOf<Space>::type recorder;

  std::size_t history_length() const { return static_cast<std::size_t>(options.max_iterations) + 1; }

  /// Memory for so many columns.
  void prepare(const Space& space, std::size_t count) {
    if (count == columns) return;
    krylov::check_columns(options, count);
    method.reset();
    method = krylov::make_method<Scalar>(space, rows, count, options);
    recurrence = analysis::zeros<Recurrence>(space, "terrace::krylov::recurrence", count);
    host_memory.assign(count, {});
    host = analysis::on_host(host_memory.data(), count);
    history = krylov::make_vector<Real>(space, "terrace::krylov::history", count * history_length());
    norms = krylov::make_vector<Real>(space, "terrace::krylov::norms", count);
    scratch = krylov::make_vectors<Scalar>(space, "terrace::krylov::scratch", rows, count);
    gathering = {space, count};
    columns = count;
  }

  void read(const Space& space) {
    Kokkos::deep_copy(space, host, recurrence);
    space.fence("terrace::KrylovSolver::solve");
  }

  void write(const Space& space) {
    Kokkos::deep_copy(space, recurrence, host);
    space.fence("terrace::KrylovSolver::solve");
  }

  bool is_running() const {
    for (std::size_t k = 0; k < columns; ++k)
      if (host(k).is_running()) return true;
    return false;
  }

  /// How many iterations until the next look: a column that runs has done as many as were enqueued.
  int iterations_ahead() const {
    int count = options.check_every;
    for (std::size_t k = 0; k < columns; ++k)
      if (host(k).is_running()) count = std::min(count, options.max_iterations - host(k).iterations);
    return count;
  }

  /// Iterates from x until something has stopped every column.
  void run(const System& system, const Numbers& norms_of_b) {
    std::vector<krylov::StagnationWatch> watches(columns, krylov::StagnationWatch(options.stagnation_window));
    const bool repeats = options.replay && !options.time_phases && method->repeats_itself() &&
                         system.A.is_replayable() && system.M.is_replayable();
    auto iterate = krylov::make_replay(
        system.space, recorder,
        [&](const Space& space) {
          if (space == system.space) return method->iterate(system);
          System elsewhere = system;
          elsewhere.space = space;
          method->iterate(elsewhere);
        },
        repeats);
    method->start(system);
    for (read(system.space);; read(system.space)) {
      if (stop_columns(watches)) write(system.space);
      if (!is_running()) break;
      for (int ahead = iterations_ahead(); ahead > 0; --ahead) iterate();
      report(system.space, norms_of_b);
    }
    method->conclude(system);
  }

  /// Stops the columns that stagnate or have reached the limit. True when there were some and others go on.
  bool stop_columns(std::vector<krylov::StagnationWatch>& watches) {
    bool stopped = false;
    for (std::size_t k = 0; k < columns; ++k) {
      if (!host(k).is_running()) continue;
      if (watches[k].stagnates(host(k).iterations, static_cast<double>(host(k).residual)))
        host(k).stop(StopReason::Stagnation);
      else if (host(k).iterations >= options.max_iterations) host(k).stop(StopReason::IterationLimit);
      stopped = stopped || !host(k).is_running();
    }
    return stopped && is_running();
  }

  void report(const Space& space, const Numbers& norms_of_b) {
    if (!options.monitor) return;
    read(space);
    int iterations = 0;
    double residual = 0;
    for (std::size_t k = 0; k < columns; ++k) {
      iterations = std::max(iterations, host(k).iterations);
      if (norms_of_b[k] > 0) residual = std::max(residual, static_cast<double>(host(k).residual) / norms_of_b[k]);
    }
    options.monitor(iterations, residual);
  }

  /// Again from where it converged, until b - A x is as small as the recursion says. `targets` is what b - A x shall
  /// reach. Returns its norms.
  Numbers run_until_true(const System& system, const Numbers& norms_of_b, const Numbers& targets) {
    Numbers last(columns, std::numeric_limits<double>::infinity());
    for (;;) {
      write(system.space);
      run(system, norms_of_b);
      system.plain_residual(scratch);
      const Numbers residuals = system.norms_of(scratch);
      bool again = false;
      for (std::size_t k = 0; k < columns; ++k) again = judge(host(k), residuals[k], targets[k], last[k]) || again;
      if (!again) return residuals;
    }
  }

  /// True when the column must run again.
  static bool judge(Recurrence& state, double residual, double target, double& last) {
    if (!std::isfinite(residual)) state.status = static_cast<int>(StopReason::NotFinite);
    if (state.status != static_cast<int>(StopReason::Converged) || residual <= target) return false;
    if (!(residual < 0.5 * last)) {
      state.status = static_cast<int>(StopReason::Stagnation);
      return false;
    }
    last = residual;
    state.target *= static_cast<Real>(0.5 * target / residual);
    state.status = krylov::running;
    return true;
  }

  /// b = 0 is solved, b that is not finite is hopeless; the others run.
  void begin_columns(const System& system, const Numbers& norms_of_b, const Numbers& norms_inside) {
    for (std::size_t k = 0; k < columns; ++k) {
      host(k) = Recurrence();
      host(k).target = static_cast<Real>(options.tolerance * norms_inside[k]);
      if (norms_of_b[k] == 0) {
        host(k).stop(StopReason::Converged);
        Kokkos::deep_copy(system.space, Kokkos::subview(system.x, Kokkos::ALL, k), Scalar(0));
      } else if (!std::isfinite(norms_of_b[k])) {
        host(k).stop(StopReason::NotFinite);
      }
    }
  }

  KrylovResult result_of(std::size_t column, double norm_of_b, double norm_inside, double residual,
                         const Real* norms_of_residuals) const {
    KrylovResult result;
    const Recurrence& state = host(column);
    result.reason = static_cast<StopReason>(state.status);
    if (norm_of_b == 0) {
      result.residuals.push_back(0.0);
    } else if (!std::isfinite(norm_of_b)) {
      result.recursive_residual = result.true_residual = norm_of_b;
    } else {
      result.iterations = state.iterations;
      result.true_residual = residual / norm_of_b;
      for (int k = 0; k <= state.iterations; ++k)
        result.residuals.push_back(static_cast<double>(norms_of_residuals[k]) / norm_inside);
      result.recursive_residual = static_cast<double>(state.residual) / norm_inside;
    }
    return result;
  }

  std::vector<KrylovResult> solve(const System& system) {
    const Numbers norms_of_b = system.norms_of(system.b);
    Numbers norms_inside = norms_of_b;
    if (system.left && !system.M.is_identity()) {
      system.precondition_input(scratch);
      norms_inside = system.norms_of(scratch);
    }
    begin_columns(system, norms_of_b, norms_inside);
    Numbers targets = norms_of_b;
    for (double& target : targets) target *= options.tolerance;
    Numbers residuals(columns, 0.0);
    if (is_running()) residuals = run_until_true(system, norms_inside, targets);
    std::vector<Real> histories(history.extent(0));
    copy_to_host(system.space, analysis::Numbers<Real>{history.data(), histories.size()}, histories.data(),
                 "terrace::KrylovSolver::solve");
    std::vector<KrylovResult> results;
    for (std::size_t k = 0; k < columns; ++k)
      results.push_back(
          result_of(k, norms_of_b[k], norms_inside[k], residuals[k], histories.data() + k * history_length()));
    return results;
  }
};

}  // namespace terrace
