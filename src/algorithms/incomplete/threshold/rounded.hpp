// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic with the same bits on a host and on a device: each operation rounds by itself, where a compiler might make
// one of a product and a sum, and sizes and roots of complex numbers come from real operations, where each library has
// its own. So it does not matter which of the two eliminates a row.
#pragma once

#include <Kokkos_Core.hpp>

#include "algorithms/incomplete/matrix_entries.hpp"
#include "backends/rounding.hpp"

namespace terrace::incomplete {

/// a b.
template <class Real>
requires(std::is_floating_point_v<Real>) KOKKOS_FORCEINLINE_FUNCTION Real rounded_product(Real a, Real b) {
  KOKKOS_IF_ON_HOST((return parallel::rounded_product_on_host(a, b);))
  KOKKOS_IF_ON_DEVICE((return parallel::rounded_product_on_device(a, b);))
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<Real> rounded_product(const Kokkos::complex<Real>& a,
                                                                  const Kokkos::complex<Real>& b) {
  return {rounded_product(a.real(), b.real()) - rounded_product(a.imag(), b.imag()),
          rounded_product(a.real(), b.imag()) + rounded_product(a.imag(), b.real())};
}

/// |value|, without over- or underflow; not finite where the value is not.
template <class Real>
requires(std::is_floating_point_v<Real>) KOKKOS_FORCEINLINE_FUNCTION Real rounded_size(Real value) {
  return Kokkos::abs(value);
}
template <class Real>
KOKKOS_INLINE_FUNCTION Real rounded_size(const Kokkos::complex<Real>& value) {
  const Real re = Kokkos::abs(value.real()), im = Kokkos::abs(value.imag());
  const Real large = re < im ? im : re, small = re < im ? re : im;
  if (!(large > Real(0)) || !(large <= Kokkos::Experimental::finite_max_v<Real>)) return re + im;
  const Real part = small / large;
  return rounded_product(large, Kokkos::sqrt(Real(1) + rounded_product(part, part)));
}

/// a / b. Of complex numbers after Smith, Communications of the ACM 5, 1962, algorithm 116, which squares nothing.
template <class Real>
requires(std::is_floating_point_v<Real>) KOKKOS_FORCEINLINE_FUNCTION Real rounded_quotient(Real a, Real b) {
  return a / b;
}
template <class Real>
KOKKOS_INLINE_FUNCTION Kokkos::complex<Real> rounded_quotient(const Kokkos::complex<Real>& a,
                                                              const Kokkos::complex<Real>& b) {
  const bool is_real_larger = Kokkos::abs(b.real()) >= Kokkos::abs(b.imag());
  const Real large = is_real_larger ? b.real() : b.imag(), small = is_real_larger ? b.imag() : b.real();
  const Real part = small / large, divisor = large + rounded_product(small, part);
  const Real first = is_real_larger ? a.real() : a.imag(), second = is_real_larger ? a.imag() : -a.real();
  return {(first + rounded_product(is_real_larger ? a.imag() : a.real(), part)) / divisor,
          (second - rounded_product(is_real_larger ? a.real() : -a.imag(), part)) / divisor};
}

/// The root whose real part is not negative.
template <class Real>
requires(std::is_floating_point_v<Real>) KOKKOS_FORCEINLINE_FUNCTION Real rounded_root(Real value) {
  return Kokkos::sqrt(value);
}
template <class Real>
KOKKOS_INLINE_FUNCTION Kokkos::complex<Real> rounded_root(const Kokkos::complex<Real>& value) {
  const Real re = value.real(), im = value.imag();
  const Real root = Kokkos::sqrt((rounded_size(value) + Kokkos::abs(re)) / Real(2));
  if (!(root > Real(0))) return {root, im};  // zero, or not a number
  const Real other = im / (Real(2) * root);
  if (re >= Real(0)) return {root, other};
  return {Kokkos::abs(other), im < Real(0) ? -root : root};
}

}  // namespace terrace::incomplete
