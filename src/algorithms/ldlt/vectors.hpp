// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors on their way into a solve and out of it: permuted, scaled by powers of two, in the precision of the factor.
// Where that is less than the caller's, each column has a power of two of its own, so that it cannot overflow.
#pragma once

#include <algorithm>

#include "algorithms/ldlt/engine.hpp"
#include "parallel/columns.hpp"
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

/// Rows that one iteration takes. On a device one. A thread of a host walks down the columns of many, where those of
/// the caller's are contiguous: one column then stays in its cache, whose rows are asked for in any order.
template <class Space>
int rows_at_once(const Space& space, int rows, bool contiguous_columns) {
  if constexpr (!parallel::is_host_space<Space>) return 1;
  else return contiguous_columns ? std::max(64, (rows - 1) / space.concurrency() + 1) : 64;
}

/// visit(row, column) for every place in a piece of so many rows.
template <class Visit>
KOKKOS_FUNCTION void for_each_place(int piece, int rows_of_piece, std::size_t rows, std::size_t columns,
                                    const Visit& visit) {
  const int first = piece * rows_of_piece;
  const int end = Kokkos::min(first + rows_of_piece, static_cast<int>(rows));
  for (std::size_t c = 0; c < columns; ++c)
    for (int row = first; row < end; ++row) visit(row, static_cast<std::ptrdiff_t>(c));
}

/// Into the order of elimination.
template <class Scalar, class FactorScalar, class Space>
struct GatherRows {
  detail::MultiVector<const Scalar, Space> from;
  detail::MultiVector<FactorScalar, Space> to;
  const int* original;
  const int* exponent;  // null: none
  const int* cells;     // null: none
  bool conjugate;
  int rows_of_piece;

  KOKKOS_FUNCTION void operator()(int piece) const {
    using Real = RealOf<Scalar>;
    for_each_place(piece, rows_of_piece, to.rows, from.columns, [this](int row, std::ptrdiff_t c) {
      Scalar value = conjugated_if(conjugate, from(original[row], c));
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
  const int* original;
  const int* exponent;
  const int* cells;
  bool conjugate;
  int rows_of_piece;

  KOKKOS_FUNCTION void operator()(int piece) const {
    using Real = RealOf<Scalar>;
    for_each_place(piece, rows_of_piece, from.rows, to.columns, [this](int row, std::ptrdiff_t c) {
      auto value = static_cast<Scalar>(conjugated_if(conjugate, from(row, c)));
      int moved = exponent ? exponent[row] : 0;
      if (cells) moved -= parallel::scale_of<Real>(cells[c]);
      if (moved != 0) value = parallel::scaled_by_power_of_two<Real>(value, moved);
      to(original[row], c) = value;
    });
  }
};

}  // namespace terrace::ldlt
