// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioned conjugate gradients (Hestenes and Stiefel 1952; Meijerink and van der Vorst 1977), cut into passes
// over memory, and the scalars that one pass hands to the next.
//
//     z = M^-1 r,  rho = r.z,  beta = rho / rho before,  p = z + beta p
//     q = A p,     alpha = rho / p.q
//     x += alpha p,  r -= alpha q,  r.r
//
// Two facts fuse these lines. The forward sweep y = (D + L)^-1 r visits cells in an order in which r can be updated on
// the way. And with M = (D + L) D^-1 (D + L)^T
//
//     r.M^-1 r = y.D y = sum of y_c s_c,   s_c = r_c - sum over lower neighbours of a_cn y_n = d_c y_c,
//
// where s_c is at hand before it is multiplied by the inverse pivot: rho is known after the forward sweep, one sweep
// earlier than r.z, and the backward sweep can form p as it goes. What is left is three passes, with the numbers that
// each reads or writes per cell in three dimensions (two: 10, 7, 5):
//
//     forward    x += alpha p, r -= alpha q, r.r, y, rho    x x p r r q  a_x a_y a_z 1/d  y      11
//     backward   z (over y), p = z + beta p                 y y p p      a_x a_y a_z 1/d          8
//     product    q = A p, p.q                               p q          a a_x a_y a_z            6
//
// Fewer passes than two there cannot be, since alpha needs all of p.q and beta all of rho. The product could follow the
// backward sweep one plane behind and save four numbers of 25; each tile would then have to wait for the tiles on both
// of its sides. Eisenstat's form (SIAM J. Sci. Stat. Comput. 2, 1981) needs no product, 20 numbers and three passes
// too, but iterates on another residual, whose norm says little of r's (and costs a pass of its own: ADR 11).
//
// r and all that follows from it are 2^exponent times what the equations say, so that squares neither overflow nor
// vanish; x alone stays as the caller's. A start computes b - A x twice: to find the exponent, and to scale by it.
//
// The scalars live on the device. Once `stop` is set, passes leave the vectors alone: x is that of the iteration in
// which it was set, however many iterations had been enqueued.
#pragma once

#include <terrace/structured_pcg.hpp>

#include "algorithms/structured/stencil.hpp"
#include "parallel/powers_of_two.hpp"

namespace terrace::structured {

struct PcgState {
  static constexpr int history_length = 256;
  enum Stop { Running, Small, Indefinite, NotPositive, NotFinite };

  double alpha, beta, rho;
  double alpha_of_x;      // alpha for p in the units of x
  double residual;        // r.r
  double b_squared;       // b.b, times 4^b_exponent
  double true_residual;   // (b - A x).(b - A x), times 4^exponent
  double small_residual;  // r.r at which the iteration ends
  int exponent, b_exponent;
  int r_noted, b_noted;  // cells for exponents (parallel/powers_of_two.hpp), zero between starts
  int iterations;
  int since_check;
  Stop stop;
  double history[history_length];  // r.r after each iteration since the last check

  KOKKOS_FUNCTION void halt(Stop why) {
    if (stop == Running) stop = why;
  }

  /// After the exponents of b - A x and of b have been noted.
  template <class Real>
  KOKKOS_FUNCTION void take_exponents() {
    exponent = parallel::scale_of<Real>(r_noted);
    b_exponent = parallel::scale_of<Real>(b_noted);
    r_noted = b_noted = 0;
  }

  /// After r = b - A x. A target that would be lost among squares is reached in several starts.
  template <class Real>
  KOKKOS_FUNCTION void begin(double r_squared, double b_norm_squared, double tolerance) {
    constexpr int least = sizeof(Real) == 4 ? -120 : -700;
    residual = r_squared;
    b_squared = b_norm_squared;
    small_residual = Kokkos::max(
        parallel::scaled_by_power_of_two<double>(tolerance * tolerance * b_norm_squared, 2 * (exponent - b_exponent)),
        parallel::power_of_two<double>(least));
    alpha = alpha_of_x = beta = 0.0;
    iterations = since_check = 0;
    stop = Running;
    judge_residual();
  }

  KOKKOS_FUNCTION void judge_residual() {
    if (!Kokkos::isfinite(residual)) halt(NotFinite);
    else if (residual <= small_residual) halt(Small);
  }

  /// After the sweep that applies M^-1 the first time.
  KOKKOS_FUNCTION void take_first_rho(double r_times_z) {
    rho = r_times_z;
    judge_rho();
  }

  KOKKOS_FUNCTION void judge_rho() {
    if (!Kokkos::isfinite(rho)) halt(NotFinite);
    else if (!(rho > 0)) halt(NotPositive);
  }

  /// After q = A p.
  KOKKOS_FUNCTION void take_product(double p_times_q) {
    if (stop != Running) return;
    if (!Kokkos::isfinite(p_times_q)) halt(NotFinite);
    else if (!(p_times_q > 0)) halt(Indefinite);
    else alpha = rho / p_times_q;
    alpha_of_x = parallel::scaled_by_power_of_two<double>(alpha, -exponent);
  }

  /// After x, r and rho have changed.
  KOKKOS_FUNCTION void take_update(double r_squared, double r_times_z) {
    if (stop != Running) return;
    residual = r_squared;
    history[since_check++] = r_squared;
    ++iterations;
    judge_residual();
    if (stop != Running) return;
    beta = r_times_z / rho;
    rho = r_times_z;
    judge_rho();
  }
};

/// The vectors of the iteration; r, p, q and y are the engine's own.
template <class Scalar>
struct PcgVectors {
  Scalar* x;
  Scalar* r;
  Scalar* p;
  Scalar* q;
  Scalar* y;  // (D + L)^-1 r, then M^-1 r
};

}  // namespace terrace::structured
