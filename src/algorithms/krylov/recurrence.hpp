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

template <class Scalar>
struct Recurrence {
  using Real = RealOf<Scalar>;

  int status = running;  // or a StopReason
  int iterations = 0;
  Real residual = 0;  // not divided by ||b||
  Real target = 0;

  Scalar rho{}, alpha{}, beta{}, omega{};
  Real shadow = 0;  // BiCGStab: the norm of the shadow residual
  int columns = 0;  // GMRES: of the basis that count

  KOKKOS_FUNCTION bool is_running() const { return status == running; }
  KOKKOS_FUNCTION void stop(StopReason reason) {
    if (is_running()) status = static_cast<int>(reason);
  }

  /// The residual that an iteration ended with.
  KOKKOS_FUNCTION void record(Real norm, Real* history) {
    if (!is_running()) return;
    history[++iterations] = residual = norm;
    if (!Kokkos::isfinite(norm)) stop(StopReason::NotFinite);
    else if (norm <= target) stop(StopReason::Converged);
  }
};

/// The kernels' side: a record and a history for each right-hand side.
template <class Scalar>
struct Shared {
  Recurrence<Scalar>* state;
  RealOf<Scalar>* history;
  std::ptrdiff_t history_length;

  KOKKOS_FUNCTION Recurrence<Scalar>& of(int column) const { return state[column]; }
  KOKKOS_FUNCTION RealOf<Scalar>* history_of(int column) const { return history + column * history_length; }
};

}  // namespace terrace::krylov
