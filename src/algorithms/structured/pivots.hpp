// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pivots of M = (D + L) D^-1 (D + U), L and U being A's strict triangles.
//
// Let k run over the lower neighbours of cell i. Row i of M - A - D + diag(A) holds
//
//     on the diagonal         sum_k a_ik a_ki / d_k
//     in every other column   sum_k a_ik a_kj / d_k, for the upper neighbours j of k: fill that A's pattern has no
//     capacity for
//
// IC(0) and ILU(0) make the diagonals equal and drop the fill. Row sums are kept when the dropped fill is subtracted
// from the diagonal (Gustafsson, BIT 18, 1978); a relaxation w subtracts a part of it (Axelsson and Lindskog, Numer.
// Math. 48, 1986), so that all four factorizations are one recurrence:
//
//     d_i = a_ii - sum_k a_ik (a_ki + w sum_{j != i} a_kj) / d_k
//
// It depends on the lower neighbours alone, so it runs in the order of a forward substitution. Kept is 1 / d_i: two
// sweeps multiply by it for each division here.
//
// A pivot breaks down when it is not positive (general matrices: zero) or not finite. What rounding leaves of a_ii when
// all of it cancels counts as zero, or the last pivot of a singular matrix would be noise. The recurrence goes on with
// a_ii, and the first such cell in natural order is reported: the cells that influence a cell have lower numbers, so no
// replaced pivot has influenced it.
#pragma once

#include "algorithms/structured/stencil.hpp"

namespace terrace::structured {

template <class Scalar>
KOKKOS_FUNCTION bool is_usable_pivot(bool is_symmetric, const Scalar& pivot, const Scalar& diagonal) {
  const Scalar least = 16 * Kokkos::Experimental::epsilon_v<Scalar> * Kokkos::abs(diagonal);
  return (is_symmetric ? pivot : Kokkos::abs(pivot)) > least && Kokkos::isfinite(pivot);
}

/// What the recurrence goes on with where a pivot broke down.
template <class Scalar>
KOKKOS_FUNCTION Scalar replaced_pivot(bool is_symmetric, const Scalar& diagonal) {
  return is_usable_pivot(is_symmetric, diagonal, diagonal) ? diagonal : Scalar(1);
}

template <class Scalar>
struct Pivots {
  Stencil<Scalar> A;
  Scalar relaxation;
  Scalar shift;  // of the diagonal, relative to it
  bool is_symmetric;
  Scalar* inverse;
  std::int64_t* breakdown;

  /// The coefficients from cell `from` to its upper neighbours except the one in `direction`.
  KOKKOS_FUNCTION Scalar dropped(const int (&at)[Directions], int direction, Index from) const {
    Scalar sum = 0;
    for (int d = 0; d < Directions; ++d)
      if (d != direction && at[d] + 1 < A.extent[d]) sum += A.upper[d](from);
    return sum;
  }

  KOKKOS_FUNCTION void cell(const int (&at)[Directions]) const {
    const Index c = A.index(at[X], at[Y], at[Z]);
    const Scalar diagonal = A.center[c] * (1 + shift);
    Scalar pivot = diagonal;
    for (int d = 0; d < Directions; ++d) {
      if (at[d] == 0) continue;
      const Index behind = c + A.lower[d].step;
      pivot -= A.lower[d](c) * (A.upper[d](behind) + relaxation * dropped(at, d, behind)) * inverse[behind];
    }
    if (!is_usable_pivot(is_symmetric, pivot, diagonal)) {
      parallel::atomic_lower(*breakdown, static_cast<std::int64_t>(c));
      pivot = replaced_pivot(is_symmetric, diagonal);
    }
    inverse[c] = 1 / pivot;
  }
};

/// Lowers `first` to the first cell whose diagonal entry is not positive.
template <class Scalar>
struct FindNotPositive {
  const Scalar* center;
  std::int64_t* first;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const {
    if (!(center[c] > 0)) parallel::atomic_lower(*first, c);
  }
};

}  // namespace terrace::structured
