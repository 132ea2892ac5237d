// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which pivots are bad, where the first of each kind is, and what is put in their place.
//
// A pivot is measured against the 1-norm of its row of A, so that the verdict does not depend on the scaling of rows.
// Each kind of bad pivot has a cell that ends up with the first row, or stays at the number of rows.
#pragma once

#include <array>
#include <terrace/ilu_info.hpp>

#include "algorithms/incomplete/matrix_entries.hpp"
#include "parallel/copy_to_host.hpp"
#include "parallel/loops.hpp"

namespace terrace::incomplete {

enum PivotDiagnostic { ZeroPivot, TinyPivot, NonPositivePivot, NonFiniteRow, ReplacedPivots, PivotDiagnostics };

/// A norm of a number without a root: |re| + |im|. NaN for a NaN.
template <class Scalar>
KOKKOS_INLINE_FUNCTION RealOf<Scalar> magnitude(const Scalar& value) {
  if constexpr (triangular::is_complex<Scalar>) return Kokkos::abs(value.real()) + Kokkos::abs(value.imag());
  else return Kokkos::abs(value);
}

template <class Scalar>
KOKKOS_INLINE_FUNCTION RealOf<Scalar> real_part(const Scalar& value) {
  if constexpr (triangular::is_complex<Scalar>) return value.real();
  else return value;
}

template <class Scalar, class Ordinal>
struct PivotRule {
  using Real = RealOf<Scalar>;

  Real threshold;
  bool positive;  // L L^T of a real matrix, L L^H
  bool replace;
  Ordinal* first;  // [PivotDiagnostics]; the last one counts

  /// True when the pivot can stand. `norm` is that of the row of A.
  KOKKOS_FUNCTION bool is_good(const Scalar& pivot, Real norm) const {
    return positive ? real_part(pivot) > threshold * norm : magnitude(pivot) > threshold * norm;
  }

  KOKKOS_FUNCTION void report(Ordinal row, const Scalar& pivot) const {
    if (!triangular::is_finite(pivot)) return;  // the row reports that
    const auto kind = pivot == Scalar(0)                       ? ZeroPivot
                      : positive && real_part(pivot) < Real(0) ? NonPositivePivot
                                                               : TinyPivot;
    parallel::atomic_lower(first[kind], row);
  }

  /// A pivot that can stand, as it is used.
  KOKKOS_FUNCTION Scalar usable(const Scalar& pivot) const { return positive ? Scalar(real_part(pivot)) : pivot; }

  /// The pivot as it is to be used.
  KOKKOS_FUNCTION Scalar settle(Ordinal row, const Scalar& pivot, Real norm) const {
    const Scalar used = usable(pivot);
    if (is_good(used, norm)) return used;
    report(row, used);
    if (!replace || !triangular::is_finite(used)) return used;
    parallel::fetch_increment(first[ReplacedPivots]);
    const Real size = norm > Real(0) ? threshold * norm : Real(1);
    const Real found = magnitude(used);
    return positive || !(found > Real(0)) ? Scalar(size) : used * (size / found);
  }
};

template <class Ordinal>
struct ForgetPivots {
  Ordinal* first;
  Ordinal none;
  KOKKOS_FUNCTION void operator()(int kind) const { first[kind] = kind == ReplacedPivots ? 0 : none; }
};

template <class Space, class Ordinal>
void forget_pivots(const Space& space, Ordinal* diagnostics, Ordinal rows) {
  parallel::for_range("terrace::incomplete::forget_pivots", Kokkos::RangePolicy<Space>(space, 0, PivotDiagnostics),
                      ForgetPivots<Ordinal>{diagnostics, rows});
}

/// Moves the cells to the host and into the info. Waits for the space.
template <class Ordinal, class Space>
void read_pivot_diagnostics(const Space& space, const Kokkos::View<Ordinal*, parallel::Device<Space>>& first,
                            Ordinal rows, IluInfo& info) {
  std::array<Ordinal, PivotDiagnostics> host;
  copy_to_host(space, parallel::Numbers<Ordinal>{first.data(), host.size()}, host.data(), "terrace::IluFactor::info");
  const auto found = [&](PivotDiagnostic kind) {
    return host[kind] == rows ? std::nullopt : std::optional<std::int64_t>(host[kind]);
  };
  info.first_zero_pivot = found(ZeroPivot);
  info.first_tiny_pivot = found(TinyPivot);
  info.first_nonpositive_pivot = found(NonPositivePivot);
  info.first_nonfinite_row = found(NonFiniteRow);
  info.replaced_pivots = host[ReplacedPivots];
}

/// Gives the rows in the info the caller's numbers. Waits for the space where there are any.
template <class Ordinal, class Space>
void name_original_rows(const Space& space, const Kokkos::View<const Ordinal*, parallel::Device<Space>>& original,
                        IluInfo& info) {
  if (original.extent(0) == 0) return;
  info.eliminated_first.reset();
  info.eliminated_first = info.first_bad_row();
  for (auto* row : {&info.first_zero_pivot, &info.first_tiny_pivot, &info.first_nonpositive_pivot,
                    &info.first_nonfinite_row, &info.eliminated_first})
    if (*row) *row = parallel::read_on_host<Ordinal>(space, original.data() + **row);
}

}  // namespace terrace::incomplete
