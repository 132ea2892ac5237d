// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 1 / d of a pivot, without the branches of a division, which a chain of pivots would wait for: an approximation with
// an error of 2^-23, and one step of third order. Multiplying A by a power of two changes no bit but those of the
// exponent. Numbers near the ends of the range are divided.
#pragma once

#include <Kokkos_Complex.hpp>

namespace terrace::cuda::ldlt {

/// 1 / d, or a number without meaning and `is_quick` false.
__device__ inline double quick_reciprocal(double d, bool& is_quick) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
  const double error = fma(-d, r, 1.0);
  // From 2^-999 to 2^1000, by the bits of the exponent: compared beside the arithmetic, not before it.
  constexpr unsigned first = 24u << 20, count = 2000u << 20;
  is_quick = (static_cast<unsigned>(__double2hiint(d)) & 0x7fffffffu) - first < count;
  return fma(r, fma(error, error, error), r);
}

__device__ inline float quick_reciprocal(float d, bool& is_quick) {
  is_quick = true;
  return 1.0f / d;
}

template <class Real>
__device__ Kokkos::complex<Real> quick_reciprocal(const Kokkos::complex<Real>& d, bool& is_quick) {
  const Real size = fabs(d.real()) + fabs(d.imag());
  constexpr Real large = sizeof(Real) == 8 ? Real(0x1p400) : Real(0x1p50f);
  const Real r = quick_reciprocal(d.real() * d.real() + d.imag() * d.imag(), is_quick);
  is_quick = size > Real(1) / large && size < large;
  return {d.real() * r, -d.imag() * r};
}

template <class Scalar>
__device__ Scalar reciprocal(const Scalar& d) {
  bool is_quick;
  const Scalar quick = quick_reciprocal(d, is_quick);
  return is_quick ? quick : Scalar(1) / d;
}

}  // namespace terrace::cuda::ldlt
