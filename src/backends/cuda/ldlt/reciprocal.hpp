// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 1 / d of a pivot, without the branches of a division, which a chain of pivots would wait for: an approximation with an
// error of 2^-23, and one step of third order. Multiplying A by a power of two changes no bit but those of the
// exponent. Numbers near the ends of the range are divided.
#pragma once

#include <Kokkos_Complex.hpp>

namespace terrace::cuda::ldlt {

__device__ inline double reciprocal(double d) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
  const double error = fma(-d, r, 1.0);
  r = fma(r, fma(error, error, error), r);
  // From 2^-999 to 2^1000, by the bits of the exponent: compared beside the arithmetic, not before it.
  constexpr unsigned first = 24u << 20, count = 2000u << 20;
  const unsigned exponent = static_cast<unsigned>(__double2hiint(d)) & 0x7fffffffu;
  return exponent - first < count ? r : 1.0 / d;
}

__device__ inline float reciprocal(float d) { return 1.0f / d; }

template <class Real>
__device__ Kokkos::complex<Real> reciprocal(const Kokkos::complex<Real>& d) {
  const Real size = fabs(d.real()) + fabs(d.imag());
  constexpr Real large = sizeof(Real) == 8 ? Real(0x1p400) : Real(0x1p50f);
  if (!(size > Real(1) / large && size < large)) return Kokkos::complex<Real>(1) / d;
  const Real r = reciprocal(d.real() * d.real() + d.imag() * d.imag());
  return {d.real() * r, -d.imag() * r};
}

}  // namespace terrace::cuda::ldlt
