// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the iteration does with a row of A times a vector, and with vectors alone when there is no preconditioner. Each
// adds to up to two sums and says at the end what they are for.
#pragma once

#include "algorithms/structured/pcg_state.hpp"

namespace terrace::structured {

/// q = A p; p.q.
template <class Scalar>
struct ProductRow {
  PcgVectors<Scalar> v;
  PcgState* state;

  KOKKOS_FUNCTION const Scalar* factor() const { return v.p; }
  KOKKOS_FUNCTION bool idle() const { return state->stop != PcgState::Running; }
  KOKKOS_FUNCTION void operator()(Index c, const Scalar& product, double& p_times_q, double&) const {
    v.q[c] = product;
    p_times_q += double(v.p[c]) * double(product);
  }
  KOKKOS_FUNCTION void finish(double p_times_q, double) const { state->take_product(p_times_q); }
};

/// The exponents of b - A x and of b.
template <class Scalar>
struct NoteExponentsRow {
  PcgVectors<Scalar> v;
  PcgState* state;
  const Scalar* b;

  KOKKOS_FUNCTION const Scalar* factor() const { return v.x; }
  KOKKOS_FUNCTION bool idle() const { return false; }
  KOKKOS_FUNCTION void operator()(Index c, const Scalar& product, double&, double&) const {
    parallel::note_exponent(state->r_noted, b[c] - product);
    parallel::note_exponent(state->b_noted, b[c]);
  }
  KOKKOS_FUNCTION void finish(double, double) const { state->template take_exponents<Scalar>(); }
};

/// r = b - A x in its units; r.r and b.b. p becomes zero, so that nothing old is multiplied by beta.
template <class Scalar>
struct StartRow {
  PcgVectors<Scalar> v;
  PcgState* state;
  const Scalar* b;
  double tolerance;

  KOKKOS_FUNCTION const Scalar* factor() const { return v.x; }
  KOKKOS_FUNCTION bool idle() const { return false; }
  KOKKOS_FUNCTION void operator()(Index c, const Scalar& product, double& r_squared, double& b_squared) const {
    const Scalar r = (b[c] - product) * parallel::power_of_two<Scalar>(state->exponent);
    const double scaled_b = double(b[c] * parallel::power_of_two<Scalar>(state->b_exponent));
    v.r[c] = r;
    v.p[c] = 0;
    r_squared += double(r) * double(r);
    b_squared += scaled_b * scaled_b;
  }
  KOKKOS_FUNCTION void finish(double r_squared, double b_squared) const {
    state->template begin<Scalar>(r_squared, b_squared, tolerance);
  }
};

/// (b - A x).(b - A x), in the units of the iteration's start.
template <class Scalar>
struct TrueResidualRow {
  PcgVectors<Scalar> v;
  PcgState* state;
  const Scalar* b;

  KOKKOS_FUNCTION const Scalar* factor() const { return v.x; }
  KOKKOS_FUNCTION bool idle() const { return false; }
  KOKKOS_FUNCTION void operator()(Index c, const Scalar& product, double& squared, double&) const {
    const double r = (double(b[c]) - double(product)) * parallel::power_of_two<double>(state->exponent);
    squared += r * r;
  }
  KOKKOS_FUNCTION void finish(double squared, double) const { state->true_residual = squared; }
};

/// x += alpha p, r -= alpha q; r.r.
template <class Scalar>
struct UpdateElement {
  PcgVectors<Scalar> v;
  PcgState* state;

  KOKKOS_FUNCTION bool idle() const { return state->stop != PcgState::Running; }
  KOKKOS_FUNCTION void operator()(Index c, double& r_squared) const {
    v.x[c] += static_cast<Scalar>(state->alpha_of_x) * v.p[c];
    v.r[c] -= static_cast<Scalar>(state->alpha) * v.q[c];
    r_squared += double(v.r[c]) * double(v.r[c]);
  }
};

/// p = z + beta p.
template <class Scalar>
struct DirectionElement {
  const Scalar* z;
  Scalar* p;
  const PcgState* state;

  KOKKOS_FUNCTION void operator()(Index c) const {
    if (state->stop == PcgState::Running) p[c] = z[c] + static_cast<Scalar>(state->beta) * p[c];
  }
};

}  // namespace terrace::structured
