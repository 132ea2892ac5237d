// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::StructuredPcg: check once, enqueue batches of iterations, judge between them.
#pragma once

#include <Kokkos_Timer.hpp>
#include <cmath>
#include <limits>
#include <terrace/structured_pcg.hpp>

#include "backends/failures.hpp"
#include "backends/structured.hpp"
#include "solvers/structured_factor_state.hpp"

namespace terrace {

template <class Scalar, class Space>
struct StructuredPcg<Scalar, Space>::State {
  StructuredMatrix<Scalar, Space> A;
  std::optional<StructuredFactor<Scalar, Space>> factor;
  structured::PcgEnginePointer<Scalar, Space> engine;
  StructuredFactorInfo no_factor;
};

namespace structured {

template <class Scalar, class Space>
void check_symmetric(const StructuredMatrix<Scalar, Space>& A) {
  if (!A.is_symmetric())
    throw Error(ErrorCode::NotSymmetric,
                "the matrix has all its diagonals stored; conjugate gradients need SymmetricDiagonals");
}

/// Nothing was computed, and so no residual is known.
inline StructuredPcgResult result_of_breakdown() {
  StructuredPcgResult result;
  result.reason = StopReason::PreconditionerBreakdown;
  result.recursive_residual = result.true_residual = result.norm_of_b = std::numeric_limits<double>::quiet_NaN();
  return result;
}

inline void check_options(const StructuredPcgOptions& options) {
  const auto fail = [](const std::string& what) { throw Error(ErrorCode::InvalidOption, what); };
  if (!(options.tolerance > 0.0 && options.tolerance < 1.0))
    fail("tolerance is " + std::to_string(options.tolerance) + "; it must lie between 0 and 1");
  if (options.max_iterations < 0)
    fail("max_iterations is " + std::to_string(options.max_iterations) + "; it cannot be negative");
  if (options.check_every < 1 || options.check_every > PcgState::history_length)
    fail("check_every is " + std::to_string(options.check_every) + "; it must lie between 1 and 256");
  if (options.stagnation_window < 0)
    fail("stagnation_window is " + std::to_string(options.stagnation_window) + "; it cannot be negative");
}

inline void check_length(const Grid& grid, const char* name, std::size_t length) {
  if (length != static_cast<std::size_t>(grid.cells()))
    throw Error(ErrorCode::SizeMismatch, std::string(name) + " has " + std::to_string(length) + " rows; the " +
                                             to_string(grid) + " grid has " + std::to_string(grid.cells()) + " cells");
}

/// One solve, from the host's side.
template <class Scalar, class Space>
class PcgRun {
 public:
  using const_vector = Kokkos::View<const Scalar*, parallel::Device<Space>>;
  using vector = Kokkos::View<Scalar*, parallel::Device<Space>>;

  PcgRun(const Space& space, PcgEngine<Scalar, Space>& engine, const const_vector& b, const vector& x,
         const StructuredPcgOptions& options)
      : space_(space), engine_(engine), b_(b), x_(x), options_(options) {}

  StructuredPcgResult run() {
    start();
    while (!is_over()) {
      const int count = std::min(options_.check_every, options_.max_iterations - result_.iterations);
      engine_.iterate(space_, count);
      take(engine_.read(space_));
    }
    return result_;
  }

 private:
  static constexpr int max_restarts = 10;

  /// The recursion from the current x on. A zero b has the solution zero.
  void start() {
    engine_.start(space_, b_.data(), x_.data(), options_.tolerance);
    state_ = engine_.read(space_);
    if (state_.b_squared == 0.0 && state_.residual > 0.0) {
      Kokkos::deep_copy(space_, x_, Scalar(0));
      engine_.start(space_, b_.data(), x_.data(), options_.tolerance);
      state_ = engine_.read(space_);
    }
    result_.norm_of_b = std::ldexp(std::sqrt(state_.b_squared), -state_.b_exponent);
    iterations_before_ = result_.iterations;
    if (result_.residuals.empty()) record(state_.residual);
  }

  /// Of a square in the units of the iteration. A zero b has no residual by now but zero, or none that is finite.
  double relative(double squared) const {
    const double norm = std::sqrt(squared);
    return state_.b_squared > 0 ? std::ldexp(norm / std::sqrt(state_.b_squared), state_.b_exponent - state_.exponent)
                                : norm;
  }

  void record(double squared) {
    result_.recursive_residual = relative(squared);
    result_.residuals.push_back(result_.recursive_residual);
    if (result_.recursive_residual < smallest_) {
      smallest_ = result_.recursive_residual;
      smallest_at_ = static_cast<int>(result_.residuals.size());
    }
  }

  void take(const PcgState& state) {
    state_ = state;
    for (int k = 0; k < state.since_check; ++k) record(state.history[k]);
    result_.iterations = iterations_before_ + state.iterations;
    if (options_.monitor) options_.monitor(result_.iterations, result_.recursive_residual);
  }

  bool stop(StopReason reason) {
    result_.reason = reason;
    measure();
    return true;
  }

  void measure() {
    engine_.measure_true_residual(space_, b_.data());
    result_.true_residual = relative(engine_.read(space_).true_residual);
  }

  bool is_over() {
    switch (state_.stop) {
      case PcgState::Running: break;
      case PcgState::Small: return is_over_when_small();
      case PcgState::Indefinite: return stop(StopReason::Indefinite);
      case PcgState::NotPositive: return stop(StopReason::PreconditionerBreakdown);
      case PcgState::NotFinite: return stop(StopReason::NotFinite);
    }
    if (result_.iterations >= options_.max_iterations) return stop(StopReason::IterationLimit);
    const int since = static_cast<int>(result_.residuals.size()) - smallest_at_;
    if (options_.stagnation_window > 0 && since >= options_.stagnation_window) return stop(StopReason::Stagnation);
    return false;
  }

  /// The recursion says that the residual is small. When the true one is not, the recursion is restarted from it, as
  /// long as that halves it.
  bool is_over_when_small() {
    measure();
    const bool gains = result_.true_residual <= 0.5 * true_residual_before_;
    true_residual_before_ = result_.true_residual;
    if (result_.true_residual <= options_.tolerance || !gains || result_.restarts == max_restarts) {
      result_.reason = result_.true_residual <= options_.tolerance ? StopReason::Converged : StopReason::Stagnation;
      return true;
    }
    ++result_.restarts;
    start();
    return is_over();
  }

  const Space& space_;
  PcgEngine<Scalar, Space>& engine_;
  const_vector b_;
  vector x_;
  const StructuredPcgOptions& options_;
  PcgState state_{};
  StructuredPcgResult result_;
  int iterations_before_ = 0;
  double smallest_ = HUGE_VAL;
  int smallest_at_ = 0;
  double true_residual_before_ = HUGE_VAL;
};

}  // namespace structured

template <class Scalar, class Space>
StructuredPcg<Scalar, Space>::StructuredPcg(const Space& space, const StructuredMatrix<Scalar, Space>& A,
                                            const StructuredFactorOptions& preconditioner) try
    : state_(new State{A, std::nullopt, {}, {}}) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  structured::check_symmetric(A);
  state_->factor.emplace(space, A, preconditioner);
  state_->engine = structured::make_structured_pcg_engine(
      space, structured::PcgProblem<Scalar, Space>{A, state_->factor->inverse_pivots(), preconditioner.algorithm,
                                                   detail::Access::state(*state_->factor).engine.get()});
  space.fence("terrace::StructuredPcg");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::StructuredPcg");
}

template <class Scalar, class Space>
StructuredPcg<Scalar, Space>::StructuredPcg(const Space& space, const StructuredMatrix<Scalar, Space>& A,
                                            NoPreconditioner) try
    : state_(new State{A, std::nullopt, {}, {}}) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  structured::check_symmetric(A);
  state_->engine = structured::make_structured_pcg_engine(
      space, structured::PcgProblem<Scalar, Space>{A, {}, SweepAlgorithm::Automatic, nullptr});
  space.fence("terrace::StructuredPcg");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::StructuredPcg");
}

template <class Scalar, class Space>
StructuredPcg<Scalar, Space>::~StructuredPcg() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_.reset();
}

template <class Scalar, class Space>
StructuredPcg<Scalar, Space>::StructuredPcg(StructuredPcg&&) noexcept = default;

template <class Scalar, class Space>
auto StructuredPcg<Scalar, Space>::operator=(StructuredPcg&& other) noexcept -> StructuredPcg& {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_ = std::move(other.state_);
  return *this;
}

template <class Scalar, class Space>
StructuredPcgResult StructuredPcg<Scalar, Space>::solve(const Space& space, const_vector b, vector x,
                                                        const StructuredPcgOptions& options) const try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  structured::check_options(options);
  structured::check_length(state_->A.grid(), "b", b.extent(0));
  structured::check_length(state_->A.grid(), "x", x.extent(0));
  const Kokkos::Timer timer;
  StructuredPcgResult result;
  if (factor_info().breakdown) result = structured::result_of_breakdown();
  else result = structured::PcgRun<Scalar, Space>(space, *state_->engine, b, x, options).run();
  result.seconds = timer.seconds();
  return result;
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::StructuredPcg::solve");
}

template <class Scalar, class Space>
void StructuredPcg<Scalar, Space>::refactorize(const Space& space) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  if (state_->factor) state_->factor->refactorize(space);
  state_->engine->update(space);
  space.fence("terrace::StructuredPcg::refactorize");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::StructuredPcg::refactorize");
}

template <class Scalar, class Space>
const StructuredFactorInfo& StructuredPcg<Scalar, Space>::factor_info() const {
  if (!state_->factor) return state_->no_factor;
  auto& info = detail::Access::state(*state_->factor).info;
  state_->factor->info();
  state_->engine->describe_changes(info);
  return info;
}

template <class Scalar, class Space>
std::size_t StructuredPcg<Scalar, Space>::bytes_held() const {
  return factor_info().bytes_held + state_->engine->bytes_held();
}

}  // namespace terrace
