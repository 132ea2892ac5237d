// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors on their way into a solve and out of it: permuted, scaled by powers of two, in the precision of the factor.
// Where that is less than the caller's, each column has a power of two of its own, so that it cannot overflow.
#pragma once

#include <cstdint>

#include "algorithms/ldlt/engine.hpp"
#include "parallel/columns.hpp"
#include "parallel/index_arithmetic.hpp"
#include "parallel/powers_of_two.hpp"

namespace terrace::ldlt {

template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar conjugated_if(bool conjugate, const Scalar& value) {
  if constexpr (triangular::is_complex<Scalar>) return conjugate ? Kokkos::conj(value) : value;
  else return value;
}

/// The size of each column once its rows are scaled.
template <class Scalar, class Space>
struct NoteColumns {
  detail::MultiVector<const Scalar, Space> from;
  const int* original;
  const int* exponent;  // null: none
  int* cells;           // of each column

  KOKKOS_FUNCTION void operator()(int row) const {
    for (std::size_t c = 0; c < from.columns; ++c)
      parallel::note_exponent(cells[c], from(original[row], static_cast<std::ptrdiff_t>(c)),
                              exponent ? exponent[row] : 0);
  }
};

struct ForgetColumns {
  int* cells;
  KOKKOS_FUNCTION void operator()(int column) const { cells[column] = 0; }
};

/// How rows of the caller and those in the order of elimination belong together, and in which pieces loops take them.
template <class Space>
struct RowPairs {
  const int* original;  // the caller's row of each row
  const int* place;     // the row of each of the caller's rows, on hosts; null elsewhere
  int rows;
  std::size_t columns;

  /// A host's thread takes as many rows as make its caches fetch ahead, whichever way the caller's vectors lie, with all
  /// columns; a device's takes a row with a few of them, so that it has as many threads for many right-hand sides as it
  /// can hold.
  static constexpr bool is_host = parallel::is_host_space<Space>;
  static constexpr int rows_at_once = is_host ? 64 : 1;
  static constexpr std::size_t columns_at_once = 4;

  std::int64_t pieces() const {
    const std::int64_t of_rows = parallel::divide_up(rows, rows_at_once);
    return is_host ? of_rows : of_rows * static_cast<std::int64_t>(parallel::divide_up(columns, columns_at_once));
  }

  /// visit(row, caller's row, column). A host goes along the caller's rows, whose columns may be contiguous; its own
  /// vectors lie side by side. A device writes its own, some columns after the other.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_place(std::int64_t piece, const Visit& visit) const {
    const auto portion = is_host ? 0 : static_cast<std::size_t>(piece / rows);
    const std::size_t first_column = portion * columns_at_once;
    const std::size_t end_column = is_host ? columns : Kokkos::min(first_column + columns_at_once, columns);
    const int first = is_host ? static_cast<int>(piece) * rows_at_once : static_cast<int>(piece % rows);
    const int end = Kokkos::min(first + rows_at_once, rows);
    for (std::size_t c = first_column; c < end_column; ++c)
      for (int k = first; k < end; ++k)
        visit(place ? place[k] : k, place ? k : original[k], static_cast<std::ptrdiff_t>(c));
  }
};

/// Into the order of elimination.
template <class Scalar, class FactorScalar, class Space>
struct GatherRows {
  detail::MultiVector<const Scalar, Space> from;
  detail::MultiVector<FactorScalar, Space> to;
  RowPairs<Space> pairs;
  const int* exponent;  // null: none
  const int* cells;     // null: none
  bool conjugate;

  KOKKOS_FUNCTION void operator()(std::int64_t piece) const {
    using Real = RealOf<Scalar>;
    pairs.for_each_place(piece, [this](int row, int original, std::ptrdiff_t c) {
      Scalar value = conjugated_if(conjugate, from(original, c));
      int moved = exponent ? exponent[row] : 0;
      if (cells) moved += parallel::scale_of<Real>(cells[c]);
      if (moved != 0) value = parallel::scaled_by_power_of_two<Real>(value, moved);
      to(row, c) = static_cast<FactorScalar>(value);
    });
  }
};

/// And back.
template <class Scalar, class FactorScalar, class Space>
struct ScatterRows {
  detail::MultiVector<const FactorScalar, Space> from;
  detail::MultiVector<Scalar, Space> to;
  RowPairs<Space> pairs;
  const int* exponent;
  const int* cells;
  bool conjugate;

  KOKKOS_FUNCTION void operator()(std::int64_t piece) const {
    using Real = RealOf<Scalar>;
    pairs.for_each_place(piece, [this](int row, int original, std::ptrdiff_t c) {
      auto value = static_cast<Scalar>(conjugated_if(conjugate, from(row, c)));
      int moved = exponent ? exponent[row] : 0;
      if (cells) moved -= parallel::scale_of<Real>(cells[c]);
      if (moved != 0) value = parallel::scaled_by_power_of_two<Real>(value, moved);
      to(original, c) = value;
    });
  }
};

}  // namespace terrace::ldlt
