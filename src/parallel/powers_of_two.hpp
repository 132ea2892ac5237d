// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact scaling: numbers as m 2^e, and products with powers of two, which round nothing as long as the result is a
// normal number. Sums of squares of vectors whose largest entry lies between 1 and 2 neither overflow nor vanish, and
// have the bits of the unscaled sum where that does neither.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

#include "parallel/concurrency.hpp"

namespace terrace::parallel {

template <class Real>
inline constexpr int largest_exponent = std::numeric_limits<Real>::max_exponent - 1;

/// The exponents between which a power of two and its inverse are normal numbers.
template <class Real>
inline constexpr int largest_scale = largest_exponent<Real> - 1;

template <class Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

/// 2^exponent; exponents beyond largest_scale are cut off.
template <class Real>
KOKKOS_INLINE_FUNCTION Real power_of_two(int exponent) {
  constexpr int most = largest_scale<Real>;
  const int kept = exponent < -most ? -most : exponent > most ? most : exponent;
  return Kokkos::bit_cast<Real>(static_cast<BitsOf<Real>>(kept + largest_exponent<Real>)
                                << (std::numeric_limits<Real>::digits - 1));
}

/// value 2^exponent, for any exponent. Real numbers and complex ones.
template <class Real, class Scalar>
KOKKOS_INLINE_FUNCTION Scalar scaled_by_power_of_two(Scalar value, int exponent) {
  constexpr int most = largest_scale<Real>;
  for (int k = 0; k < 4 && exponent > most; ++k, exponent -= most) value *= power_of_two<Real>(most);
  for (int k = 0; k < 4 && exponent < -most; ++k, exponent += most) value *= power_of_two<Real>(-most);
  return value * power_of_two<Real>(exponent);
}

/// Exponents of a vector's entries are gathered in a cell that holds the largest plus this, or zero when there is none:
/// memory that was cleared is ready.
inline constexpr int exponent_bias = 1 << 13;

/// Notes |value| 2^shift in the cell; zero, Inf and NaN leave no trace.
template <class Real>
KOKKOS_INLINE_FUNCTION void note_exponent(int& cell, Real value, int shift = 0) {
  constexpr int most = largest_exponent<Real>;
  const int stored =
      static_cast<int>(Kokkos::bit_cast<BitsOf<Real>>(value) >> (std::numeric_limits<Real>::digits - 1)) &
      (2 * most + 1);
  if (stored == 2 * most + 1 || value == Real(0)) return;
  const int exponent = stored > 0 ? stored - most : static_cast<int>(Kokkos::logb(value));  // of a denormal number
  atomic_raise(cell, exponent + shift + exponent_bias);
}

template <class Real>
KOKKOS_INLINE_FUNCTION void note_exponent(int& cell, const Kokkos::complex<Real>& value, int shift = 0) {
  note_exponent(cell, value.real(), shift);
  note_exponent(cell, value.imag(), shift);
}

/// The exponent of the power of two that brings the vector's largest entry near 1; zero for a vector of zeros.
template <class Real>
KOKKOS_INLINE_FUNCTION int scale_of(int cell) {
  constexpr int most = largest_scale<Real>;
  const int exponent = cell == 0 ? 0 : exponent_bias - cell;
  return exponent < -most ? -most : exponent > most ? most : exponent;
}

}  // namespace terrace::parallel
