// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of the matrix that is factorized, P D A D P^T, from the values that the caller gave for A: renumbered,
// mirrored and scaled where they are read, so that new values need no copy.
#pragma once

#include "algorithms/incomplete/merged_pattern.hpp"
#include "algorithms/triangular/check_values.hpp"
#include "parallel/loops.hpp"

namespace terrace::incomplete {

template <class Scalar>
using RealOf = decltype(Kokkos::abs(Scalar()));

template <class Scalar, class Ordinal, class Offset>
struct MatrixEntries {
  using Real = RealOf<Scalar>;

  const Scalar* values;     // in the caller's order
  const Offset* source;     // which of them an entry of the pattern takes; null: each its own
  const Ordinal* columns;   // of the pattern
  const Ordinal* original;  // the caller's number of each row; null: the same
  const Real* scale;        // the diagonal of D, by row of the pattern; null: ones
  bool hermitian;
  bool read_upper;  // the triangle of A that a symmetric factorization reads

  const Real* diagonal_factors = nullptr;  // 1 + alpha of each row of the pattern; null: ones

  KOKKOS_FUNCTION bool are_values() const { return !source && !scale && !diagonal_factors; }

  /// The same but for where they stand.
  KOKKOS_FUNCTION bool are_values_anywhere() const {
    return !scale && !diagonal_factors && !(triangular::is_complex<Scalar> && hermitian);
  }

  KOKKOS_FUNCTION Scalar operator()(Ordinal row, Offset p) const { return are_values() ? values[p] : look_up(row, p); }

  KOKKOS_FUNCTION Scalar look_up(Ordinal row, Offset p) const { return look_up(row, p, place(p)); }

  /// The same in two steps, for who looks up several entries side by side: where the value of an entry stands, and what
  /// it is.
  KOKKOS_FUNCTION Offset place(Offset p) const { return source ? source[p] : p; }
  KOKKOS_FUNCTION Scalar look_up(Ordinal row, Offset p, Offset from) const {
    if (from == sparse::no_source<Offset>) return Scalar(0);
    Scalar value = mirrored(row, p, values[from]);
    if (diagonal_factors && columns[p] == row) value = value * diagonal_factors[row];
    return scale ? value * (scale[row] * scale[columns[p]]) : value;
  }

  /// A Hermitian matrix gives one triangle, and the real part of its diagonal.
  KOKKOS_FUNCTION Scalar mirrored(Ordinal row, Offset p, const Scalar& value) const {
    if constexpr (triangular::is_complex<Scalar>) {
      if (!hermitian) return value;
      if (columns[p] == row) return Scalar(value.real());
      const bool is_upper = original ? original[columns[p]] > original[row] : columns[p] > row;
      if (is_upper != read_upper) return Kokkos::conj(value);
    }
    return value;
  }
};

/// Of a merged pattern, not scaled; `original` is null where it has the caller's order.
template <class Scalar, class Ordinal, class Offset, class Space>
MatrixEntries<Scalar, Ordinal, Offset> plain_entries(const MergedPattern<Ordinal, Offset, Space>& merged,
                                                     const Scalar* values, const Ordinal* original, bool hermitian,
                                                     bool read_upper) {
  return {values, merged.source.data(), merged.entries.data(), original, nullptr, hermitian, read_upper};
}

/// |a_ii|^(-1/2), or one where that is no scale.
template <class Scalar, class Ordinal, class Offset>
struct FindScale {
  using Real = RealOf<Scalar>;

  MatrixEntries<Scalar, Ordinal, Offset> matrix;  // not scaled
  const Offset* diagonal;
  Real* scale;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Real size = Kokkos::abs(matrix(row, diagonal[row]));
    const bool is_scale = size > Real(0) && size <= Kokkos::Experimental::finite_max_v<Real>;
    scale[row] = is_scale ? Real(1) / Kokkos::sqrt(size) : Real(1);
  }
};

/// Scales the entries by their diagonal, in memory for as many numbers as there are rows. Enqueued.
template <class Scalar, class Ordinal, class Offset, class Space>
void scale_entries(const Space& space, MatrixEntries<Scalar, Ordinal, Offset>& entries, Ordinal rows,
                   const Offset* diagonal, RealOf<Scalar>* scale) {
  parallel::for_range("terrace::incomplete::find_scale", Kokkos::RangePolicy<Space>(space, 0, rows),
                      FindScale<Scalar, Ordinal, Offset>{entries, diagonal, scale});
  entries.scale = scale;
}

}  // namespace terrace::incomplete
