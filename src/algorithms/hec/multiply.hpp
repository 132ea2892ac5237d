// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = A x for a matrix in HEC and several vectors.
//
// On a device a thread takes a row, so that neighbours read neighbouring places of the ELL part; on a host it takes as
// many rows as align it and goes through the ELL part column by column, which it reads in runs. A thread adds what its
// rows have in the compressed part, after the ELL part: the sums have the order of the matrix, and the same bits each
// time. Where the compressed part has a long row, one thread would still be at it when all others are done; then the
// product with compressed rows comes first, which shares out entries (backends/krylov.hpp), and this one adds to it.
#pragma once

#include "algorithms/hec/hec_rows.hpp"
#include "algorithms/krylov/each_column.hpp"
#include "parallel/index_arithmetic.hpp"

namespace terrace::hec {

/// Entries of a row in the compressed part that its own thread may add.
inline constexpr int longest_remainder = 256;

template <class Scalar, class Ordinal, class Offset, int Height, int Width>
struct Multiply {
  HecRows<Scalar, Ordinal, Offset> A;
  krylov::Columns<const Scalar> x;
  krylov::Columns<Scalar> y;
  int first;  // of the vectors that are multiplied, up to Width
  int count;
  bool adds;  // to y, which holds the product with the compressed part

  KOKKOS_FUNCTION void operator()(Ordinal block) const {
    const Ordinal begin = block * Height;
    const int height = A.rows - begin < Height ? static_cast<int>(A.rows - begin) : Height;
    const Scalar* from[Width];
    for (int j = 0; j < Width; ++j) from[j] = x(first + (j < count ? j : 0));
    Scalar sum[Height][Width] = {};
    if (adds)
      for (int h = 0; h < height; ++h)
        for (int j = 0; j < count; ++j) sum[h][j] = y(first + j)[begin + h];
    for (Ordinal k = 0; k < A.width; ++k) add_column(A.place(begin, k), from, sum);
    for (int h = 0; h < height; ++h) {
      if (!adds) add_remainder(begin + h, from, sum[h]);
      for (int j = 0; j < count; ++j) y(first + j)[begin + h] = sum[h][j];
    }
  }

 private:
  /// The rows that align the part hold padding.
  KOKKOS_FUNCTION void add_column(std::size_t place, const Scalar* const (&from)[Width],
                                  Scalar (&sum)[Height][Width]) const {
    for (int h = 0; h < Height; ++h) {
      const Ordinal column = A.ell_columns[place + h];
      const Scalar value = A.ell_values[place + h];
      if (column < 0) continue;
      for (int j = 0; j < Width; ++j) sum[h][j] += value * from[j][column];
    }
  }

  KOKKOS_FUNCTION void add_remainder(Ordinal row, const Scalar* const (&from)[Width], Scalar (&sum)[Width]) const {
    const Offset end = A.row_map[row + 1];
    for (Offset k = A.row_map[row]; k < end; ++k) {
      const Scalar value = A.values[k];
      for (int j = 0; j < Width; ++j) sum[j] += value * from[j][A.entries[k]];
    }
  }
};

template <int Width, class Space, class Scalar, class Ordinal, class Offset>
void multiply_columns(const Space& space, const HecRows<Scalar, Ordinal, Offset>& A,
                      const krylov::Columns<const Scalar>& x, const krylov::Columns<Scalar>& y, int columns,
                      bool adds) {
  constexpr int height = parallel::is_host_space<Space> ? static_cast<int>(row_alignment) : 1;
  const Ordinal blocks = parallel::divide_up(A.rows, static_cast<Ordinal>(height));
  for (int first = 0; first < columns; first += Width)
    Kokkos::parallel_for("terrace::hec::multiply", Kokkos::RangePolicy<Space>(space, 0, blocks),
                         Multiply<Scalar, Ordinal, Offset, height, Width>{
                             A, x, y, first, columns - first < Width ? columns - first : Width, adds});
}

/// Enqueued. `adds`: to y, instead of multiplying with the compressed part.
template <class Space, class Scalar, class Ordinal, class Offset>
void multiply(const Space& space, const HecRows<Scalar, Ordinal, Offset>& A, const krylov::Columns<const Scalar>& x,
              const krylov::Columns<Scalar>& y, int columns, bool adds) {
  constexpr int width = 8;
  if (columns == 1) multiply_columns<1>(space, A, x, y, columns, adds);
  else multiply_columns<width>(space, A, x, y, columns, adds);
}

}  // namespace terrace::hec
