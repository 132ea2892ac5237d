// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::KrylovSolver: the loop around a method, its looks at the residual, and the check at the end.
#pragma once

#include "algorithms/krylov/make_method.hpp"

namespace terrace {

template <class Scalar, class Space>
struct KrylovSolver<Scalar, Space>::State {
  using Real = krylov::RealOf<Scalar>;
  using System = krylov::System<Scalar, Space>;
  using Recurrence = krylov::Recurrence<Scalar>;
  using Device = analysis::Device<Space>;

  KrylovOptions options;
  std::size_t rows;
  std::unique_ptr<krylov::Method<Scalar, Space>> method;
  Kokkos::View<Recurrence, Device> recurrence;
  typename Kokkos::View<Recurrence, Device>::HostMirror host;
  Kokkos::View<Real*, Device> history;
  output_type scratch;

  void read(const Space& space) {
    Kokkos::deep_copy(space, host, recurrence);
    space.fence("terrace::KrylovSolver::solve");
  }

  void write(const Space& space) {
    Kokkos::deep_copy(space, recurrence, host);
    space.fence("terrace::KrylovSolver::solve");
  }

  /// Iterates from x until something stops it.
  void run(const System& system, double norm_of_b) {
    krylov::StagnationWatch watch(options.stagnation_window);
    method->start(system);
    int enqueued = host().iterations;
    for (read(system.space); host().is_running(); read(system.space)) {
      if (watch.stagnates(host().iterations, static_cast<double>(host().residual))) host().stop(StopReason::Stagnation);
      else if (enqueued >= options.max_iterations) host().stop(StopReason::IterationLimit);
      if (!host().is_running()) break;
      const int end = std::min(options.max_iterations, enqueued + options.check_every);
      for (; enqueued < end; ++enqueued) method->iterate(system);
      report(system.space, norm_of_b);
    }
    const int status = host().status;
    method->conclude(system);
    host().status = status;
  }

  void report(const Space& space, double norm_of_b) {
    if (!options.monitor) return;
    read(space);
    options.monitor(host().iterations, static_cast<double>(host().residual) / norm_of_b);
  }

  /// Again from where it converged, until b - A x is as small as the recursion says. `target` is what b - A x shall
  /// reach. Returns its norm.
  double run_until_true(const System& system, double norm, double target) {
    double last = std::numeric_limits<double>::infinity();
    for (host().target = static_cast<Real>(options.tolerance * norm);;) {
      write(system.space);
      run(system, norm);
      system.plain_residual(scratch);
      const double residual = system.norm(scratch);
      if (!std::isfinite(residual)) host().status = static_cast<int>(StopReason::NotFinite);
      if (host().status != static_cast<int>(StopReason::Converged) || residual <= target) return residual;
      if (!(residual < 0.5 * last)) {
        host().status = static_cast<int>(StopReason::Stagnation);
        return residual;
      }
      last = residual;
      host().target *= static_cast<Real>(0.5 * target / residual);
      host().status = krylov::running;
    }
  }

  KrylovResult solve(const System& system, double norm_of_b) {
    KrylovResult result;
    const bool left = system.left && !system.M.is_identity();
    double norm = norm_of_b;
    if (left) {
      system.precondition_input(scratch);
      norm = system.norm(scratch);
    }
    host() = Recurrence();
    const double residual = run_until_true(system, norm, options.tolerance * norm_of_b);
    result.reason = static_cast<StopReason>(host().status);
    result.iterations = host().iterations;
    result.true_residual = residual / norm_of_b;
    const auto norms = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace(), Kokkos::subview(history, std::make_pair(0, result.iterations + 1)));
    for (std::size_t k = 0; k < norms.extent(0); ++k) result.residuals.push_back(static_cast<double>(norms(k)) / norm);
    result.recursive_residual = static_cast<double>(host().residual) / norm;
    return result;
  }
};

template <class Scalar, class Space>
KrylovSolver<Scalar, Space>::KrylovSolver(const Space& space, std::size_t rows, const KrylovOptions& options)
    : state_(new State) {
  krylov::check_options(options);
  if (rows > static_cast<std::size_t>(std::numeric_limits<int>::max()) - 1)
    throw Error(ErrorCode::SizeMismatch, "there are " + std::to_string(rows) + " rows; an int cannot count them");
  state_->options = options;
  state_->rows = rows;
  state_->method = krylov::make_method<Scalar>(space, rows, options);
  state_->recurrence = Kokkos::View<typename State::Recurrence, typename State::Device>("terrace::krylov::recurrence");
  state_->host = Kokkos::create_mirror(state_->recurrence);
  state_->history = krylov::make_vector<typename State::Real>(space, "terrace::krylov::history",
                                                              static_cast<std::size_t>(options.max_iterations) + 1);
  state_->scratch = krylov::make_vector<Scalar>(space, "terrace::krylov::scratch", rows);
}

template <class Scalar, class Space>
KrylovSolver<Scalar, Space>::~KrylovSolver() = default;

template <class Scalar, class Space>
KrylovSolver<Scalar, Space>::KrylovSolver(KrylovSolver&&) noexcept = default;

template <class Scalar, class Space>
auto KrylovSolver<Scalar, Space>::operator=(KrylovSolver&&) noexcept -> KrylovSolver& = default;

template <class Scalar, class Space>
const KrylovOptions& KrylovSolver<Scalar, Space>::options() const {
  return state_->options;
}

template <class Scalar, class Space>
KrylovResult KrylovSolver<Scalar, Space>::solve(const Space& space, const Operator& A, input_type b, output_type x,
                                                const Operator& M) {
  if (b.extent(0) != state_->rows || x.extent(0) != state_->rows)
    throw Error(ErrorCode::SizeMismatch, "b has " + std::to_string(b.extent(0)) + " rows and x has " +
                                             std::to_string(x.extent(0)) + "; the solver was made for " +
                                             std::to_string(state_->rows));
  const Kokkos::Timer timer;
  KrylovResult result;
  const auto& options = state_->options;
  const bool left = options.side == PreconditionerSide::Left &&
                    (options.method == KrylovMethod::BiCGStab || options.method == KrylovMethod::Gmres);
  double operator_seconds = 0, preconditioner_seconds = 0;
  const typename State::System system{space,
                                      A,
                                      M,
                                      left,
                                      b,
                                      x,
                                      state_->scratch,
                                      {state_->recurrence.data(), state_->history.data()},
                                      options.time_phases ? &operator_seconds : nullptr,
                                      options.time_phases ? &preconditioner_seconds : nullptr};
  const double norm_of_b = state_->rows > 0 ? system.norm(b) : 0.0;
  if (norm_of_b == 0) {
    Kokkos::deep_copy(space, x, Scalar(0));
    result.residuals.push_back(0.0);
  } else if (!std::isfinite(norm_of_b)) {
    result.reason = StopReason::NotFinite;
    result.recursive_residual = result.true_residual = norm_of_b;
  } else {
    result = state_->solve(system, norm_of_b);
  }
  space.fence("terrace::KrylovSolver::solve");
  result.seconds = timer.seconds();
  result.operator_seconds = operator_seconds;
  result.preconditioner_seconds = preconditioner_seconds;
  return result;
}

}  // namespace terrace
