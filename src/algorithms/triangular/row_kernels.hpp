// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two ways to use one row of a triangle, for Width right-hand sides at a time. The row belongs to an unknown, whose
// number is the row's own unless the rows were copied into another order.
//
// gather: the row lists what the unknown needs. x_i = (b_i - sum_j a_ij x_j) / a_ii.
// scatter: the row lists what needs the unknown. x_i holds b_i less all that was subtracted before; it is divided by
// a_ii, and a_ji x_i is subtracted from every x_j of the row.
//
// Every algorithm is one of these two under some order and some way of waiting; lower, upper, transposed, conjugated,
// unit and full are data of System, not copies of the code.
#pragma once

#include <terrace/detail/multi_vector.hpp>

#include "sparse/triangle.hpp"

namespace terrace::triangular {

/// Vectors as the kernels see them. Contiguous: one vector with stride one, so that the compiler knows it.
template <class Scalar, bool Contiguous>
struct Vectors {
  Scalar* data;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;

  template <class Space>
  explicit Vectors(const detail::MultiVector<Scalar, Space>& from)
      : data(from.data), row_stride(from.row_stride), column_stride(from.column_stride) {}

  KOKKOS_FUNCTION Scalar& operator()(std::ptrdiff_t row, std::ptrdiff_t column) const {
    if constexpr (Contiguous) return data[row];
    return data[row * row_stride + column * column_stride];
  }
};

template <class T>
inline constexpr bool is_complex = false;
template <class Real>
inline constexpr bool is_complex<Kokkos::complex<Real>> = true;

/// Where the diagonal of each row stands, for loops that are worth compiling for it. Anywhere: the pattern says.
enum class DiagonalPlace { Anywhere, First, Last };

template <DiagonalPlace Place>
struct Placed {};

/// What the kernels that walk a system are called.
struct KernelNames {
  const char* sequential;
  const char* level;
  const char* chain;
  const char* sync_free_rows;
};

inline constexpr KernelNames substitution_names{"terrace::triangular::solve_sequentially",
                                                "terrace::triangular::solve_level", "terrace::triangular::solve_chain",
                                                "terrace::triangular::solve_rows_sync_free"};

/// One system op(A) X = B, as a kernel sees it. The drivers that order rows and wait for them ask for no more than
/// `names`, `pattern`, `with_diagonal_place` and `gather_all_columns`, so they serve factorizations by rows too. A
/// system with `gather_by_lanes` has long rows shared by lanes on a device.
template <class ScalarType, class OrdinalType, class OffsetType, bool Contiguous>
struct System {
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Offset = OffsetType;
  static constexpr KernelNames names = substitution_names;

  sparse::TriangleView<Ordinal, Offset> pattern;
  const Scalar* values;
  Vectors<const Scalar, Contiguous> b;
  Vectors<Scalar, Contiguous> x;
  int columns;
  bool unit;
  bool conjugate;

  KOKKOS_FUNCTION Scalar value(Offset position) const {
    if constexpr (is_complex<Scalar>) return conjugate ? Kokkos::conj(values[position]) : values[position];
    return values[position];
  }

  template <DiagonalPlace Place>
  KOKKOS_FUNCTION Offset begin(Ordinal row) const {
    if constexpr (Place == DiagonalPlace::Anywhere) return pattern.begin(row);
    else return pattern.row_map[row] + (Place == DiagonalPlace::First ? 1 : 0);
  }

  template <DiagonalPlace Place>
  KOKKOS_FUNCTION Offset end(Ordinal row) const {
    if constexpr (Place == DiagonalPlace::Anywhere) return pattern.end(row);
    else return pattern.row_map[row + 1] - (Place == DiagonalPlace::Last ? 1 : 0);
  }

  /// Of a row whose strict part is [first, last).
  template <DiagonalPlace Place>
  KOKKOS_FUNCTION Offset pivot_position(Ordinal row, Offset first, Offset last) const {
    return Place == DiagonalPlace::Anywhere ? pattern.diagonal_position(row)
           : Place == DiagonalPlace::First  ? first - 1
                                            : last;
  }

  template <int Width, DiagonalPlace Place>
  KOKKOS_FUNCTION void gather(Ordinal row, Ordinal unknown, int column) const {
    Scalar sum[Width];
    for (int w = 0; w < Width; ++w) sum[w] = b(unknown, column + w);
    const Offset first = begin<Place>(row), last = end<Place>(row);
    for (Offset k = first; k < last; ++k) {
      const Scalar a = value(k);
      const Ordinal needed = pattern.entries[k];
      for (int w = 0; w < Width; ++w) sum[w] -= a * x(needed, column + w);
    }
    if (Place == DiagonalPlace::Anywhere && unit) {
      for (int w = 0; w < Width; ++w) x(unknown, column + w) = sum[w];
    } else {
      const Scalar pivot = value(pivot_position<Place>(row, first, last));
      for (int w = 0; w < Width; ++w) x(unknown, column + w) = sum[w] / pivot;
    }
  }

  /// `Shared`: other threads add to x at the same time.
  template <bool Shared>
  KOKKOS_FUNCTION void scatter(Ordinal row, Ordinal unknown, int column) const {
    Scalar solved = Shared ? parallel::relaxed_load(x(unknown, column)) : x(unknown, column);
    if (!unit) {
      solved = solved / value(pattern.diagonal_position(row));
      x(unknown, column) = solved;
    }
    const Offset end = pattern.end(row);
    for (Offset k = pattern.begin(row); k < end; ++k) {
      const Scalar term = -(value(k) * solved);
      if constexpr (Shared) parallel::atomic_accumulate(x(pattern.entries[k], column), term);
      else x(pattern.entries[k], column) += term;
    }
  }

  template <DiagonalPlace Place>
  KOKKOS_FUNCTION void gather_all_columns(Placed<Place>, Ordinal row, Ordinal unknown) const {
    if constexpr (Contiguous) {
      gather<1, Place>(row, unknown, 0);
    } else {
      constexpr int width = 4;
      int column = 0;
      for (; column + width <= columns; column += width) gather<width, Place>(row, unknown, column);
      for (; column < columns; ++column) gather<1, Place>(row, unknown, column);
    }
  }

  /// The same by threads that share the products of a row (row_lanes.hpp), column by column. The sum is taken from b
  /// at its end, and has the association of the lanes.
  template <DiagonalPlace Place, class Lanes>
  KOKKOS_FUNCTION void gather_by_lanes(Placed<Place>, const Lanes& lanes, Ordinal row, Ordinal unknown) const {
    const Offset first = begin<Place>(row), last = end<Place>(row);
    for (int column = 0; column < (Contiguous ? 1 : columns); ++column) {
      const auto product = [&](Offset k) { return value(first + k) * x(pattern.entries[first + k], column); };
      const Scalar sum = lanes.template sum<Scalar>(static_cast<Offset>(last - first), product);
      lanes.by_one([&] {
        const Scalar left = b(unknown, column) - sum;
        if (Place == DiagonalPlace::Anywhere && unit) x(unknown, column) = left;
        else x(unknown, column) = left / value(pivot_position<Place>(row, first, last));
      });
    }
  }

  /// Calls `body(Placed<...>)`: loops over many rows decide once where their diagonals stand.
  template <class Body>
  KOKKOS_FUNCTION void with_diagonal_place(const Body& body) const {
    if (unit || pattern.diagonal) body(Placed<DiagonalPlace::Anywhere>());
    else if (pattern.skip_front) body(Placed<DiagonalPlace::First>());
    else body(Placed<DiagonalPlace::Last>());
  }

  template <bool Shared>
  KOKKOS_FUNCTION void scatter_all_columns(Ordinal row, Ordinal unknown) const {
    for (int column = 0; column < (Contiguous ? 1 : columns); ++column) scatter<Shared>(row, unknown, column);
  }
};

/// X = B, where they are not the same memory: scattering subtracts from X.
template <class System>
struct CopyRightHandSide {
  System system;
  KOKKOS_FUNCTION void operator()(typename System::Ordinal row) const {
    for (int column = 0; column < system.columns; ++column) system.x(row, column) = system.b(row, column);
  }
};

}  // namespace terrace::triangular
