// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A triangle in HEC and in level order, as the kernels that walk levels see a system (row_kernels.hpp): rows and
// unknowns are numbered by their places in the order, and X holds the right-hand sides before.
//
// The first entries of a row are in the ELL part, the others and the diagonal, where that is not one, in its compressed
// row: gathering takes them in the order of the matrix.
#pragma once

#include "algorithms/hec/hec_rows.hpp"
#include "algorithms/triangular/row_kernels.hpp"

namespace terrace::triangular {

template <class ScalarType, class OrdinalType, class OffsetType, bool Contiguous>
struct HecSystem {
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Offset = OffsetType;
  static constexpr KernelNames names{"terrace::triangular::solve_hec_sequentially",
                                     "terrace::triangular::solve_hec_level", "terrace::triangular::solve_hec_chain",
                                     nullptr};

  hec::HecRows<Scalar, Ordinal, Offset> rows;
  sparse::TriangleView<Ordinal, Offset> pattern;  // of which the drivers read the number of rows
  Vectors<const Scalar, Contiguous> b;            // is x
  Vectors<Scalar, Contiguous> x;
  int columns;
  bool unit;
  bool conjugate;

  KOKKOS_FUNCTION Scalar conjugated(const Scalar& value) const {
    if constexpr (is_complex<Scalar>) return conjugate ? Kokkos::conj(value) : value;
    return value;
  }

  /// Calls body(value, column) for the entries beside the diagonal.
  template <class Body>
  KOKKOS_FUNCTION void for_each_entry(Ordinal row, const Body& body) const {
    for (Ordinal k = 0; k < rows.width; ++k) {
      const std::size_t place = rows.place(row, k);
      const Ordinal needed = rows.ell_columns[place];
      const Scalar value = rows.ell_values[place];
      if (needed >= 0) body(conjugated(value), needed);
    }
    const Offset end = rows.row_map[row + 1] - (unit ? 0 : 1);
    for (Offset k = rows.row_map[row]; k < end; ++k) body(conjugated(rows.values[k]), rows.entries[k]);
  }

  KOKKOS_FUNCTION Scalar pivot(Ordinal row) const { return conjugated(rows.values[rows.row_map[row + 1] - 1]); }

  template <int Width>
  KOKKOS_FUNCTION void gather(Ordinal row, int column) const {
    Scalar sum[Width];
    for (int w = 0; w < Width; ++w) sum[w] = x(row, column + w);
    for_each_entry(row, [&](const Scalar& a, Ordinal needed) {
      for (int w = 0; w < Width; ++w) sum[w] -= a * x(needed, column + w);
    });
    if (!unit) {
      const Scalar divisor = pivot(row);
      for (int w = 0; w < Width; ++w) sum[w] = sum[w] / divisor;
    }
    for (int w = 0; w < Width; ++w) x(row, column + w) = sum[w];
  }

  /// `Shared`: other threads add to x at the same time.
  template <bool Shared>
  KOKKOS_FUNCTION void scatter(Ordinal row, int column) const {
    Scalar solved = Shared ? parallel::relaxed_load(x(row, column)) : x(row, column);
    if (!unit) {
      solved = solved / pivot(row);
      x(row, column) = solved;
    }
    for_each_entry(row, [&](const Scalar& a, Ordinal needs) {
      const Scalar term = -(a * solved);
      if constexpr (Shared) parallel::atomic_accumulate(x(needs, column), term);
      else x(needs, column) += term;
    });
  }

  template <class Body>
  KOKKOS_FUNCTION void with_diagonal_place(const Body& body) const {
    body(Placed<DiagonalPlace::Last>());
  }

  KOKKOS_FUNCTION void gather_all_columns(Placed<DiagonalPlace::Last>, Ordinal row, Ordinal) const {
    if constexpr (Contiguous) {
      gather<1>(row, 0);
    } else {
      constexpr int width = 4;
      int column = 0;
      for (; column + width <= columns; column += width) gather<width>(row, column);
      for (; column < columns; ++column) gather<1>(row, column);
    }
  }

  template <bool Shared>
  KOKKOS_FUNCTION void scatter_all_columns(Ordinal row, Ordinal) const {
    for (int column = 0; column < (Contiguous ? 1 : columns); ++column) scatter<Shared>(row, column);
  }
};

}  // namespace terrace::triangular
