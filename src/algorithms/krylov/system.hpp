// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system that a Krylov method works on: A, M, b, x, and the residual that every (re)start computes.
#pragma once

#include <terrace/krylov_solver.hpp>

#include "algorithms/krylov/recurrence.hpp"

namespace terrace::krylov {

template <class Space>
Kokkos::RangePolicy<Space, Kokkos::IndexType<int>> each_row(const Space& space, std::size_t rows) {
  return {space, 0, static_cast<int>(rows)};
}

/// r = b - r, where r holds A x.
template <class Scalar>
struct SubtractFrom {
  const Scalar* b;
  Scalar* r;
  KOKKOS_FUNCTION void operator()(int row) const { r[row] = b[row] - r[row]; }
};

template <class Scalar>
struct SquaredNorm {
  const Scalar* vector;
  KOKKOS_FUNCTION void operator()(int row, RealOf<Scalar>& sum) const { sum += square(vector[row]); }
};

/// The norm of the residual that a method starts from; it may be small enough already.
template <class Scalar>
struct StartResidual {
  using value_type = Sums<RealOf<Scalar>, 1>;
  const Scalar* r;
  Shared<Scalar> shared;
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const { sum.of[0] += square(r[row]); }
  KOKKOS_FUNCTION void final(value_type& sum) const {
    auto& state = *shared.state;
    state.columns = 0;
    if (!state.is_running()) return;
    state.residual = Kokkos::sqrt(sum.of[0]);
    if (state.iterations == 0) shared.history[0] = state.residual;
    if (!Kokkos::isfinite(state.residual)) state.stop(StopReason::NotFinite);
    else if (state.residual <= state.target) state.stop(StopReason::Converged);
  }
};

/// Measures a phase when it is asked to; measuring waits.
template <class Space>
class Stopwatch {
 public:
  Stopwatch(const Space& space, double* seconds) : space_(space), seconds_(seconds) {
    if (!seconds_) return;
    space_.fence("terrace::krylov::time_phases");
    timer_.reset();
  }
  ~Stopwatch() {
    if (!seconds_) return;
    space_.fence("terrace::krylov::time_phases");
    *seconds_ += timer_.seconds();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  const Space& space_;
  double* seconds_;
  Kokkos::Timer timer_;
};

template <class ScalarType, class SpaceType>
struct System {
  using Scalar = ScalarType;
  using Space = SpaceType;
  using Operator = LinearOperator<Scalar, Space>;
  using Vector = typename Operator::output_type;

  Space space;
  Operator A;
  Operator M;
  bool left;
  typename Operator::input_type b;
  Vector x;
  Vector scratch;  // for M A
  Shared<Scalar> shared;
  double* operator_seconds;  // null: not measured
  double* preconditioner_seconds;

  std::size_t rows() const { return x.extent(0); }
  bool preconditions_inside() const { return !left && !M.is_identity(); }

  void multiply(const Vector& in, const Vector& out) const {
    const Stopwatch<Space> watch(space, operator_seconds);
    A.apply(space, in, out);
  }
  void precondition(const Vector& in, const Vector& out) const {
    const Stopwatch<Space> watch(space, preconditioner_seconds);
    M.apply(space, in, out);
  }

  /// out = M b: the right-hand side of the system that is preconditioned from the left.
  void precondition_input(const Vector& out) const { M.apply(space, b, out); }

  /// out = A in, or M A in: the operator whose powers span the space.
  void apply(const Vector& in, const Vector& out) const {
    if (!left || M.is_identity()) return multiply(in, out);
    multiply(in, scratch);
    precondition(scratch, out);
  }

  /// r = b - A x, or M (b - A x).
  void residual(const Vector& r) const {
    const Vector& plain = left && !M.is_identity() ? scratch : r;
    plain_residual(plain);
    if (left && !M.is_identity()) precondition(scratch, r);
  }

  void plain_residual(const Vector& r) const {
    multiply(x, r);
    Kokkos::parallel_for("terrace::krylov::subtract_from", each_row(space, rows()),
                         SubtractFrom<Scalar>{b.data(), r.data()});
  }

  /// The residual and its norm, as a method's start.
  void start(const Vector& r) const {
    residual(r);
    Kokkos::parallel_reduce("terrace::krylov::start_residual", each_row(space, rows()),
                            StartResidual<Scalar>{r.data(), shared});
  }

  /// Waits for the space.
  double norm(const typename Operator::input_type& vector) const {
    RealOf<Scalar> sum = 0;
    Kokkos::parallel_reduce("terrace::krylov::squared_norm", each_row(space, rows()),
                            SquaredNorm<Scalar>{vector.data()}, sum);
    return std::sqrt(static_cast<double>(sum));
  }
};

/// What every method is to the solver.
template <class Scalar, class Space>
class Method {
 public:
  virtual ~Method() = default;
  virtual void start(const System<Scalar, Space>& system) = 0;    ///< from x
  virtual void iterate(const System<Scalar, Space>& system) = 0;  ///< enqueues one iteration
  virtual void conclude(const System<Scalar, Space>&) {}          ///< enqueues what x still lacks
};

template <class Scalar, class Space>
Kokkos::View<Scalar*, analysis::Device<Space>> make_vector(const Space& space, const char* label, std::size_t length) {
  return analysis::zeros<Scalar>(space, label, length);
}

}  // namespace terrace::krylov
