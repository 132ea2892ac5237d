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

/// Tile::column: the first column of the block of 256. Block columns from the left: X_ij = -X_ii sum_k L_ik X_kj, where
/// the L_ij of a block column are not needed once its X_ij are there.
template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads)
    invert_blocks_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Tile* tiles) {
  constexpr int width = FrontTuning::inner;
  extern __shared__ __align__(16) char memory[];
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::outer, front.columns - tile.column);
  const std::int64_t stride = front.rows;
  Scalar* block = panel_at(numbers, front, tile.column, tile.column);
  using Product = ProductTile<Scalar, Contiguous::Rows, Contiguous::Columns>;
  await_and_pass_on();
  for (int j = 0; j < count; j += width) {
    for (int i = j + width; i < count; i += width) {
      const int rows = min(width, count - i);
      Scalar* to = block + i + j * stride;
      const auto replace = [&](Product& product, const auto& value) {
        product.for_each([&](int row, int column, const Scalar& sum) {
          if (row < rows) to[row + column * stride] = value(sum);
        });
        __syncthreads();
      };
      Product sums(memory);
      sums.add({to, stride, rows, i - j}, {block + j + j * stride, stride, width, i - j}, i - j);
      replace(sums, [](const Scalar& sum) { return sum; });
      Product solved(memory);
      solved.add({block + i + i * stride, stride, rows, rows}, {to, stride, width, rows}, rows);
      replace(solved, [](const Scalar& sum) { return -sum; });
    }
    // Zeros above the diagonal block.
    for (int k = static_cast<int>(threadIdx.x); k < j * min(width, count - j); k += ProductShape::threads)
      block[k % j + (j + k / j) * stride] = Scalar(0);
  }
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
