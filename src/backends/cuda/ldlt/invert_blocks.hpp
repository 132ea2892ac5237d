// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After the factorization, what solves multiply with: for each block of 256 own columns of a front in device memory,
// the inverse X of its unit lower triangle, from those of its blocks of 64, and L21 X in the place of the L21 below it.
// All fronts side by side.
#pragma once

#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/product_tile.hpp"
#include "backends/cuda/ldlt/tuning.hpp"

namespace terrace::cuda::ldlt {

/// The inverse grows by halves, from blocks of 64 to 128 and to 256:
///
///     [ L11      ]^-1   [  X11               ]
///     [ L21  L22 ]    = [ -X22 L21 X11   X22 ]
///
/// in the place of L, so that of 256 columns a kernel multiplies by X11, whose blocks own rows of L21, and one by X22,
/// whose blocks own columns.
template <class Scalar>
class InverseInPlace {
  using Product = ProductTile<Scalar, Contiguous::Rows, Contiguous::Columns>;

 public:
  static constexpr int width = FrontTuning::inner;
  static_assert(FrontTuning::outer == 4 * width);  // two halvings

  /// Of the block of 256 own columns that `column` is in.
  __device__ InverseInPlace(const FrontNumbers<Scalar>& numbers, const FrontPlace& front, int column, char* memory)
      : first_(column / FrontTuning::outer * FrontTuning::outer),
        count_(min(FrontTuning::outer, front.columns - first_)),
        stride_(front.rows),
        block_(panel_at(numbers, front, first_, first_)),
        memory_(memory) {}

  /// Places are counted from here.
  __device__ int first() const { return first_; }
  __device__ int rows_from(int row) const { return min(width, count_ - row); }

  /// Tile (row, column) = sum of the tiles from `column` on in its row times X, over so many columns.
  __device__ void multiply_by_left(int row, int column, int depth) {
    Product product(memory_);
    product.add({at(row, column), stride_, rows_from(row), depth}, {at(column, column), stride_, width, depth}, depth);
    replace(product, row, column, [](const Scalar& sum) { return sum; });
  }
  /// Tile (row, column) = minus X from column `begin` on, in its rows, times the tiles in its column from `begin` on.
  __device__ void multiply_by_right(int row, int column, int begin) {
    const int depth = row - begin + rows_from(row);
    Product product(memory_);
    product.add({at(row, begin), stride_, rows_from(row), depth}, {at(begin, column), stride_, width, depth}, depth);
    replace(product, row, column, [](const Scalar& sum) { return -sum; });
  }
  /// All above the diagonal tile of a column of tiles.
  __device__ void clear_above(int column) {
    const int columns = rows_from(column);
    for (int k = static_cast<int>(threadIdx.x); k < column * columns; k += static_cast<int>(blockDim.x))
      *at(k % column, column + k / column) = Scalar(0);
  }

 private:
  __device__ Scalar* at(int row, int column) const { return block_ + row + column * stride_; }

  /// What the product was of is not needed any more.
  template <class Value>
  __device__ void replace(Product& product, int row, int column, const Value& value) {
    const int rows = rows_from(row);
    Scalar* const to = at(row, column);
    product.for_each([&](int i, int k, const Scalar& sum) {
      if (i < rows) to[i + k * stride_] = value(sum);
    });
    __syncthreads();
  }

  int first_, count_;
  std::int64_t stride_;
  Scalar* block_;
  char* memory_;
};

/// The tile below the diagonal at Tile::column, from that of 64 columns and the next 64, if there are any; and zeros
/// above both.
template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads)
    invert_pairs_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Tile* tiles) {
  extern __shared__ __align__(16) char memory[];
  constexpr int width = InverseInPlace<Scalar>::width;
  const Tile tile = tiles[blockIdx.x];
  InverseInPlace<Scalar> X(numbers, at.fronts[tile.front], tile.column, memory);
  const int column = tile.column - X.first(), next = column + width;
  await_and_pass_on();
  if (X.rows_from(next) > 0) {
    X.multiply_by_left(next, column, width);
    X.multiply_by_right(next, column, next);
    X.clear_above(next);
  }
  if (column > 0) X.clear_above(column);
}

/// Tiles of Tile::row, behind the first 128 columns, times X of those.
template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads)
    invert_halves_left_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Tile* tiles) {
  extern __shared__ __align__(16) char memory[];
  constexpr int width = InverseInPlace<Scalar>::width;
  const Tile tile = tiles[blockIdx.x];
  InverseInPlace<Scalar> X(numbers, at.fronts[tile.front], tile.column, memory);
  const int row = tile.row - X.first();
  await_and_pass_on();
  for (int column = 0; column < FrontTuning::outer / 2; column += width)
    X.multiply_by_left(row, column, FrontTuning::outer / 2 - column);
}

/// Minus X of the columns behind the first 128 times the tiles of Tile::column.
template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads)
    invert_halves_right_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Tile* tiles) {
  extern __shared__ __align__(16) char memory[];
  constexpr int width = InverseInPlace<Scalar>::width, half = FrontTuning::outer / 2;
  const Tile tile = tiles[blockIdx.x];
  InverseInPlace<Scalar> X(numbers, at.fronts[tile.front], tile.column, memory);
  const int column = tile.column - X.first();
  await_and_pass_on();
  for (int row = FrontTuning::outer - width; row >= half; row -= width)
    if (X.rows_from(row) > 0) X.multiply_by_right(row, column, half);
}

/// Rows from Tile::row on of the block of 256 columns that begins at Tile::column.
template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads, ProductShape::blocks<Scalar>)
    multiply_by_inverse_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Tile* tiles) {
  constexpr int width = FrontTuning::inner;
  extern __shared__ __align__(16) char memory[];
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::outer, front.columns - tile.column);
  const int rows = min(ProductShape::side, front.rows - tile.row);
  const std::int64_t stride = front.rows;
  Scalar* to = panel_at(numbers, front, tile.row, tile.column);
  const Scalar* inverse = panel_at(numbers, front, tile.column, tile.column);
  await_and_pass_on();
  for (int j = 0; j < count; j += width) {
    const int columns = min(width, count - j);
    ProductTile<Scalar, Contiguous::Rows, Contiguous::Columns> product(memory);
    product.add({to + j * stride, stride, rows, count - j}, {inverse + j + j * stride, stride, columns, count - j},
                count - j);
    product.for_each([&](int row, int column, const Scalar& sum) {
      if (row < rows && column < columns) to[row + (j + column) * stride] = sum;
    });
    __syncthreads();
  }
}

}  // namespace terrace::cuda::ldlt
