// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division by a pivot whose inverse is known: the correctly rounded quotient, as the operator gives it, in five
// dependent operations where the operator takes some fifteen. Each step of an elimination waits for one.
//
// With y = 1/d rounded to nearest, q = w y is off by at most two units in the last place; each correction by the exact
// remainder, q + (w - q d) y, halves what is left of that, and the second one rounds correctly (Markstein, "Computation
// of elementary functions on the IBM RISC System/6000 processor", 1990, theorem 7.2). That holds where nothing
// overflows or falls below the normal numbers: numbers that are far from one, and -0, are divided by the operator.
#pragma once

#include "backends/cuda/watch.hpp"

namespace terrace::cuda::incomplete {

using cuda::is_pending;  // of numbers; those of divisors stand below
using cuda::watch_if;

/// What a finished row publishes for those who divide by its pivot. Complex numbers are divided by the operator.
template <class Scalar>
struct alignas(sizeof(Scalar)) Divisor {
  Scalar pivot;
};

template <class Real>
struct alignas(2 * sizeof(Real)) InvertedDivisor {
  Real pivot, inverse;
};
template <>
struct Divisor<double> : InvertedDivisor<double> {};
template <>
struct Divisor<float> : InvertedDivisor<float> {};

template <class Scalar>
inline constexpr bool has_inverse = sizeof(Divisor<Scalar>) > sizeof(Scalar);

template <class Scalar>
__device__ bool is_pending(const Divisor<Scalar>& divisor) {
  if constexpr (has_inverse<Scalar>) return is_pending(divisor.pivot) | is_pending(divisor.inverse);
  else return is_pending(divisor.pivot);
}

template <class Scalar>
__device__ void watch_if(bool wanted, const Divisor<Scalar>* cell, Divisor<Scalar>& divisor) {
  watch_if(wanted, &cell->pivot, divisor.pivot);
  if constexpr (has_inverse<Scalar>) watch_if(wanted, &cell->inverse, divisor.inverse);
}

template <class Scalar>
__device__ void publish_divisor(Divisor<Scalar>* cell, const Scalar& pivot) {
  publish(&cell->pivot, publishable(pivot));
  if constexpr (has_inverse<Scalar>) publish(&cell->inverse, publishable(Scalar(1) / pivot));
}

/// Whether the number is normal and so near to one that quotients of such numbers, and their remainders, are normal.
__device__ inline bool is_near_one(double value) {
  constexpr unsigned bias = 1023, most = 450;
  return (static_cast<unsigned>(__double2hiint(value)) << 1) - ((bias - most) << 21) < (2 * most << 21);
}
__device__ inline bool is_near_one(float value) {
  constexpr unsigned bias = 127, most = 50;
  return (__float_as_uint(value) << 1) - ((bias - most) << 24) < (2 * most << 24);
}
__device__ inline bool is_positive_zero(double value) { return __double_as_longlong(value) == 0; }
__device__ inline bool is_positive_zero(float value) { return __float_as_int(value) == 0; }

/// Out of line, because it is rare and long.
template <class Scalar>
__device__ __noinline__ Scalar divide_by_operator(Scalar w, Scalar pivot) {
  return w / pivot;
}

/// The quotient, unless `by` or `w` is far from one.
template <class Scalar>
__device__ Scalar quotient_near_one(const Scalar& w, const Divisor<Scalar>& by) {
  if constexpr (has_inverse<Scalar>) {
    Scalar quotient = w * by.inverse;
    quotient = fma(fma(-quotient, by.pivot, w), by.inverse, quotient);
    return fma(fma(-quotient, by.pivot, w), by.inverse, quotient);
  } else {
    return w / by.pivot;
  }
}

/// Whether quotient_near_one is the quotient.
template <class Scalar>
__device__ bool are_near_one(const Scalar& w, const Divisor<Scalar>& by) {
  if constexpr (has_inverse<Scalar>) return is_near_one(by.inverse) & (is_near_one(w) | is_positive_zero(w));
  else return true;
}

template <class Scalar>
__device__ Scalar divide(const Scalar& w, const Divisor<Scalar>& by) {
  const Scalar quotient = quotient_near_one(w, by);
  return are_near_one(w, by) ? quotient : divide_by_operator(w, by.pivot);
}

}  // namespace terrace::cuda::incomplete
