// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an iteration knows on the device: its scalars, its residuals, and whether it still runs.
//
// The scalars of a step (alpha, beta, rho, ...) follow from the dot product that the step ends with, so they are
// computed by that reduction itself, in the `final` member that Kokkos calls once when the sum is complete. No kernel
// and no transfer stand between them and their use.
//
// Once the iteration has stopped, for whatever reason, kernels leave x and the scalars as they are. So the host may
// enqueue iterations ahead and look at the state only now and then. With several right-hand sides each has a record of
// its own, and stops for its own reasons (ADR 16).
#pragma once

#include <terrace/krylov_result.hpp>

#include "algorithms/incomplete/pivots.hpp"
#include "parallel/powers_of_two.hpp"

namespace terrace::krylov {

template <class Scalar>
using RealOf = incomplete::RealOf<Scalar>;

using incomplete::real_part;
using triangular::is_complex;

template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar conjugate(const Scalar& value) {
  if constexpr (is_complex<Scalar>) return Kokkos::conj(value);
  else return value;
}

/// |value|^2
template <class Scalar>
KOKKOS_INLINE_FUNCTION RealOf<Scalar> square(const Scalar& value) {
  if constexpr (is_complex<Scalar>) return value.real() * value.real() + value.imag() * value.imag();
  else return value * value;
}

/// N sums that one reduction computes.
template <class Scalar, int N>
struct Sums {
  Scalar of[N] = {};
  KOKKOS_FUNCTION Sums& operator+=(const Sums& other) {
    for (int k = 0; k < N; ++k) of[k] += other.of[k];
    return *this;
  }
};

template <class Scalar>
struct Sums<Scalar, 0> {};

inline constexpr int running = -1;

/// The norms of the last iterations; iteration k stands in cell k modulo `length`.
template <class Real>
struct History {
  Real* norms;
  int length;
  KOKKOS_FUNCTION void put(int iteration, Real norm) const { norms[iteration % length] = norm; }
};

/// Two units of length: the vectors of the recurrence, and all scalars that follow from their sums, are 2^exponent
/// times those of the system; what the host sees is 2^reference times it. Both are chosen so that sums of squares
/// neither overflow nor vanish, and neither changes a bit of what would do neither (ADR 21).
template <class Scalar>
struct Recurrence {
  using Real = RealOf<Scalar>;

  int status = running;  // or a StopReason
  int iterations = 0;
  int exponent = 0, reference = 0;
  Real residual = 0;  // in units of the host, not divided by ||b||
  Real target = 0;    // the same
  Real norm = 0;      // of the residual vector
  Real small = 0;     // the norm at which it has converged

  Scalar rho{}, alpha{}, beta{}, omega{};
  Scalar alpha_of_x{}, omega_of_x{};  // alpha and omega in units of the system, for x
  Real shadow = 0;                    // BiCGStab: the norm of the shadow residual
  Real half = 0;                      // BiCGStab: the norm of the residual after half a step
  int shift = 0;                      // BiCGStab: of the exponent in this iteration
  int columns = 0;                    // GMRES: of the basis that count
  int operator_exponent = 0;          // GMRES: the small matrix is that of 2^operator_exponent A M

  KOKKOS_FUNCTION bool is_running() const { return status == running; }
  KOKKOS_FUNCTION void stop(StopReason reason) {
    if (is_running()) status = static_cast<int>(reason);
  }

  /// A target that would be lost among squares is reached in several starts.
  KOKKOS_FUNCTION void set_exponent(int value) {
    constexpr int least = sizeof(Real) == 4 ? -30 : -400;
    exponent = value;
    small = parallel::scaled_by_power_of_two<Real>(target, exponent - reference);
    if (target > Real(0)) small = Kokkos::max(small, parallel::power_of_two<Real>(least));
  }

  KOKKOS_FUNCTION void shift_exponent() {
    exponent += shift;
    small = parallel::scaled_by_power_of_two<Real>(small, shift);
  }

  KOKKOS_FUNCTION Scalar in_units_of_x(const Scalar& step) const {
    return parallel::scaled_by_power_of_two<Real>(step, -exponent);
  }

  /// The norm that a start or an iteration ended with.
  KOKKOS_FUNCTION void take(Real found) {
    norm = found;
    residual = parallel::scaled_by_power_of_two<Real>(found, reference - exponent);
    if (!Kokkos::isfinite(found)) stop(StopReason::NotFinite);
    else if (found <= small) stop(StopReason::Converged);
  }

  KOKKOS_FUNCTION void record(Real found, const History<Real>& history) {
    if (!is_running()) return;
    take(found);
    history.put(++iterations, residual);
  }
};

/// The kernels' side: a record, a history and a cell for the exponents of a vector for each right-hand side.
template <class Scalar>
struct Shared {
  Recurrence<Scalar>* state;
  RealOf<Scalar>* history;
  int history_length;
  int* exponents;  // zero between uses (parallel/powers_of_two.hpp)

  KOKKOS_FUNCTION Recurrence<Scalar>& of(int column) const { return state[column]; }
  KOKKOS_FUNCTION History<RealOf<Scalar>> history_of(int column) const {
    return {history + static_cast<std::ptrdiff_t>(column) * history_length, history_length};
  }

  /// The power of two by which the vector in the cell is to be multiplied.
  KOKKOS_FUNCTION int scale_of(int column) const { return parallel::scale_of<RealOf<Scalar>>(exponents[column]); }
};

}  // namespace terrace::krylov
