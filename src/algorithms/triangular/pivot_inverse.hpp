// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division by pivots through their inverses: an inverse depends on no unknown, so it is ready when the sum of its row
// is, and a product takes a third of the time of a division in the chain from row to row.
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace terrace::triangular {

/// Whether a pivot has an inverse well within the normal numbers.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION bool has_inverse(const Scalar& pivot) {
  const auto is_within = [](auto size) {
    using Real = decltype(size);
    constexpr Real least = 4 * Kokkos::Experimental::norm_min_v<Real>;
    return (size >= least) & (size <= Real(1) / least);
  };
  if constexpr (std::is_floating_point_v<Scalar>) return is_within(Kokkos::fabs(pivot));
  else return is_within(Kokkos::fmax(Kokkos::fabs(pivot.real()), Kokkos::fabs(pivot.imag())));
}

/// Divides the sums of a row, with one rounding more where the pivot has an inverse.
template <class Scalar, int W>
KOKKOS_FORCEINLINE_FUNCTION void divide_all(Scalar (&sums)[W], const Scalar& pivot) {
  if (has_inverse(pivot)) {
    const Scalar inverse = Scalar(1) / pivot;
    for (int w = 0; w < W; ++w) sums[w] = sums[w] * inverse;
  } else {
    for (int w = 0; w < W; ++w) sums[w] = sums[w] / pivot;
  }
}

}  // namespace terrace::triangular
