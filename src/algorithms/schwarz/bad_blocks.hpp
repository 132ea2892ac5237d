// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which blocks have pivots that are bad or numbers that are not finite, and what is done about them: their diagonals
// are shifted more and more (Manteuffel 1980, for each block by itself), or they divide by their diagonal.
//
// Looked at after the factorization, place by place, by the rule that the factorization used, because its own cells
// name the first place of all blocks alone. One read of M and of its factor.
#pragma once

#include "algorithms/incomplete/pivots.hpp"
#include "algorithms/schwarz/engine.hpp"

namespace terrace::schwarz {

/// A factorization as it was made, for kernels.
template <class Scalar, class Ordinal, class Offset>
struct FactorizedBlocks {
  const Offset* matrix_row_map;  // of the pattern that `matrix` speaks of
  const Offset* matrix_diagonal;
  incomplete::MatrixEntries<Scalar, Ordinal, Offset> matrix;
  const Offset* row_map;  // of the factor
  const Offset* diagonal;
  Scalar* values;
  incomplete::PivotRule<Scalar, Ordinal> rule;
  bool is_cholesky;
  BlockOf<Ordinal> block_of;
  Ordinal* first_bad;  // of each block: its first bad place, or the number of places
};

/// The numbers of a factor that stands in memory, whose elimination has reported what it found.
template <class Scalar, class Ordinal, class Offset>
struct StoredNumbers {
  const Scalar* values;
  KOKKOS_FUNCTION Scalar operator()(Ordinal, Offset k) const { return values[k]; }
  template <class Real>
  KOKKOS_FUNCTION void report(Ordinal, Real, bool) const {}
};

/// Those of a factor that only its pivots tell, and reports of these by the rules of an elimination.
template <class Scalar, class Ordinal, class Offset, class Space>
struct ReportedNumbers : incomplete::PivotNumbers<Scalar, Ordinal, Offset, Space> {
  template <class Real>
  KOKKOS_FUNCTION void report(Ordinal place, Real norm, bool is_finite) const {
    const auto& rule = this->elimination.pivots;
    const Scalar pivot = this->pivots[place];
    if (!rule.replace && !rule.is_good(pivot, norm)) rule.report(place, pivot);
    if (!is_finite) this->elimination.report_not_finite(place, pivot);
  }
};

template <class Scalar, class Ordinal, class Offset, class Numbers>
struct FindBadBlocks {
  FactorizedBlocks<Scalar, Ordinal, Offset> blocks;
  Numbers numbers;
  using Real = incomplete::RealOf<Scalar>;

  KOKKOS_FUNCTION bool is_factor_finite(Ordinal place) const {
    for (Offset k = blocks.row_map[place]; k < blocks.row_map[place + 1]; ++k)
      if (!triangular::is_finite(numbers(place, k))) return false;
    return true;
  }
  KOKKOS_FUNCTION bool is_pivot_good(Ordinal place, Real norm) const {
    if (blocks.rule.replace) return true;
    const Scalar stored = numbers(place, blocks.diagonal[place]);
    return blocks.rule.is_good(blocks.is_cholesky ? stored * stored : stored, norm);
  }
  /// The row of M is looked at too: what a factorization has dropped may have been a NaN.
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    Real norm(0);
    bool is_row_finite = true;
    for (Offset k = blocks.matrix_row_map[place]; k < blocks.matrix_row_map[place + 1]; ++k) {
      const Scalar value = blocks.matrix(place, k);
      norm += incomplete::magnitude(value);
      is_row_finite = is_row_finite && triangular::is_finite(value);
    }
    const bool is_finite = is_factor_finite(place);
    numbers.report(place, norm, is_finite);
    if (!is_row_finite || !is_finite || !is_pivot_good(place, norm))
      parallel::atomic_lower(blocks.first_bad[blocks.block_of[place]], place);
  }
};

template <class Ordinal>
struct ForgetBadBlocks {
  Ordinal* first_bad;
  Ordinal places;
  KOKKOS_FUNCTION void operator()(Ordinal block) const { first_bad[block] = places; }
};

template <class Ordinal>
struct CountBadBlocks {
  const Ordinal* first_bad;
  Ordinal places;
  KOKKOS_FUNCTION void operator()(Ordinal block, std::int64_t& count) const {
    if (first_bad[block] < places) ++count;
  }
};

/// Doubles the shift of each bad block, from `first_shift` on.
template <class Real, class Ordinal>
struct RaiseShifts {
  const Ordinal* first_bad;
  Ordinal places;
  Real first_shift;
  Real* shifts;
  KOKKOS_FUNCTION void operator()(Ordinal block, Real& largest) const {
    if (first_bad[block] < places) shifts[block] = shifts[block] > Real(0) ? 2 * shifts[block] : first_shift;
    if (shifts[block] > largest) largest = shifts[block];
  }
};

template <class Real, class Ordinal>
struct ShiftDiagonals {
  BlockOf<Ordinal> block_of;
  const Real* shifts;
  Real* factors;
  KOKKOS_FUNCTION void operator()(Ordinal place) const { factors[place] = Real(1) + shifts[block_of[place]]; }
};

/// A bad block keeps its diagonal alone; where that is zero or not finite, ones.
template <class Scalar, class Ordinal, class Offset>
struct KeepDiagonals {
  FactorizedBlocks<Scalar, Ordinal, Offset> blocks;
  Ordinal places;
  bool positive;

  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    if (blocks.first_bad[blocks.block_of[place]] >= places) return;
    for (Offset k = blocks.row_map[place]; k < blocks.row_map[place + 1]; ++k) blocks.values[k] = Scalar(0);
    Scalar pivot = blocks.matrix(place, blocks.matrix_diagonal[place]);
    if (!triangular::is_finite(pivot) || pivot == Scalar(0)) pivot = Scalar(1);
    if (positive) pivot = Scalar(Kokkos::abs(pivot));
    blocks.values[blocks.diagonal[place]] = blocks.is_cholesky ? Kokkos::sqrt(pivot) : pivot;
  }
};

}  // namespace terrace::schwarz
