// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a sweep computes besides the substitution: the streams it reads, the right-hand side it makes of them, the
// unknown it makes of what is left, what it writes, and the sum it takes along. One walk (sweep.hpp) serves them all.
//
// The iteration's works are Eisenstat's (tile_pcg_engine.hpp has the equations). Once the state has stopped, they are
// idle.
#pragma once

#include "algorithms/structured/pcg_state.hpp"
#include "algorithms/structured/pivots.hpp"

namespace terrace::cuda::grid {

using structured::PcgState;

/// Whether transfer warps bring the first input from the caller's vector, and the output there (sweep_transfer.hpp).
/// And whether a sweep that is launched early (early_launch.hpp) has another sweep before it, which writes neither the
/// state nor what both read.
struct StaysSkewed {
  static constexpr bool enters = false, leaves = false, follows_sweep = true;
};

/// y = L^-1 x.
struct SolveWork : StaysSkewed {
  static constexpr int inputs = 1, outputs = 1;
  static constexpr bool sums = false;

  __device__ static bool is_idle(const PcgState*) { return false; }
  __device__ static double coefficient(const PcgState*) { return 0.0; }
  template <class Real>
  __device__ static Real right_side(const Real (&in)[inputs], Real) {
    return in[0];
  }
  template <class Real>
  __device__ static Real unknown(Real, Real rest) {
    return rest;
  }
  /// `side` is the right-hand side and `rest` what is left of it when the neighbours' parts are subtracted.
  template <class Real>
  __device__ static double emit(const Real (&)[inputs], Real, Real, Real y, Real (&out)[outputs]) {
    out[0] = y;
    return 0.0;
  }
  __device__ static void close(PcgState*, double) {}
};

/// The same with x from the caller's vector, or with y to it, scaled on the way.
struct EnterWork : SolveWork {
  static constexpr bool enters = true, follows_sweep = false;
};
struct LeaveWork : SolveWork {
  static constexpr bool leaves = true;
};

/// 1 / x to the last bit or the one before it, for numbers that are not denormal, without a division's special cases:
/// an approximation to 20 bits and two steps of Newton's iteration.
__device__ inline double reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  y = fma(fma(-x, y, 1.0), y, y);
  return fma(fma(-x, y, 1.0), y, y);
}
__device__ inline float reciprocal(float x) { return 1.0f / x; }

/// The square root to the last bit or the one before it, likewise (Goldschmidt's iteration and one correction).
__device__ inline double square_root(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  double root = x * y, half = 0.5 * y;
  const double rest = fma(-root, half, 0.5);
  root = fma(root, rest, root);
  half = fma(half, rest, half);
  return fma(fma(-root, root, x), half, root);
}
__device__ inline float square_root(float x) { return sqrtf(x); }

/// The pivots of a factorization: y = 1 / (centre - sum of products * y). Where one breaks down the recurrence goes on
/// as in algorithms/structured/pivots.hpp, and NaN is written. No branch: the cells of a
/// step have to overlap.
template <bool Symmetric>
struct PivotWork : SolveWork {
  template <class Real>
  __device__ static Real unknown(Real center, Real pivot) {
    const bool is_usable = structured::is_usable_pivot(Symmetric, pivot, center);
    return reciprocal(is_usable ? pivot : structured::replaced_pivot(Symmetric, center));
  }
  template <class Real>
  __device__ static double emit(const Real (&)[inputs], Real center, Real pivot, Real y, Real (&out)[outputs]) {
    out[0] = structured::is_usable_pivot(Symmetric, pivot, center) ? y : Real(NAN);
    return 0.0;
  }
};

/// y = L^-1 x and rho = (y, y), which is (r, M^-1 r).
struct FirstWork : SolveWork {
  static constexpr bool sums = true;

  template <class Real>
  __device__ static double emit(const Real (&)[inputs], Real, Real, Real y, Real (&out)[outputs]) {
    out[0] = y;
    return double(y) * double(y);
  }
  __device__ static void close(PcgState* state, double sum) { state->take_first_rho(sum); }
};

/// p = r + beta p and w = L^-T p: inputs r, p; outputs w, p.
struct DirectionWork : StaysSkewed {
  static constexpr bool follows_sweep = false;
  static constexpr int inputs = 2, outputs = 2;
  static constexpr bool sums = false;

  __device__ static bool is_idle(const PcgState* state) { return state->stop != PcgState::Running; }
  __device__ static double coefficient(const PcgState* state) { return state->beta; }
  template <class Real>
  __device__ static Real right_side(const Real (&in)[inputs], Real beta) {
    return in[0] + beta * in[1];
  }
  template <class Real>
  __device__ static Real unknown(Real, Real rest) {
    return rest;
  }
  template <class Real>
  __device__ static double emit(const Real (&)[inputs], Real p, Real, Real w, Real (&out)[outputs]) {
    out[0] = w;
    out[1] = p;
    return 0.0;
  }
  __device__ static void close(PcgState*, double) {}
};

/// q = w + L^-1 (p + e w) and (p, q): inputs p, w, e; output q.
struct OperatorWork : StaysSkewed {
  static constexpr int inputs = 3, outputs = 1;
  static constexpr bool sums = true;

  __device__ static bool is_idle(const PcgState* state) { return state->stop != PcgState::Running; }
  __device__ static double coefficient(const PcgState*) { return 0.0; }
  template <class Real>
  __device__ static Real right_side(const Real (&in)[inputs], Real) {
    return in[0] + in[1] * in[2];
  }
  template <class Real>
  __device__ static Real unknown(Real, Real rest) {
    return rest;
  }
  template <class Real>
  __device__ static double emit(const Real (&in)[inputs], Real, Real, Real y, Real (&out)[outputs]) {
    out[0] = in[1] + y;
    return double(in[0]) * double(out[0]);
  }
  __device__ static void close(PcgState* state, double sum) { state->take_product(sum); }
};

}  // namespace terrace::cuda::grid
