// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fronts in device memory, all of a level side by side. For each block of 64 own columns:
//
//     diagonal block:  A11 = L11 D L11^T, and X = L11^-1 in its place, by one thread block
//     panel:           L21 = A21 X^T D^-1
//     update:          the other columns of the same block of 256 minus L21 D L21^T
//
// and after each block of 256 columns the same update of all that is right of it.
#pragma once

#include "backends/cuda/ldlt/dense_in_shared.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/product_tile.hpp"

namespace terrace::cuda::ldlt {

struct DiagonalShape {
  static constexpr int threads = 256, rows = FrontTuning::inner;

  template <class Scalar>
  static constexpr std::size_t bytes() {
    return static_cast<std::size_t>(rows * SharedFront<Scalar>::distance(rows) + 2 * rows) * sizeof(Scalar);
  }
};

/// Tile::column: the first column of the block.
template <class Scalar>
__global__ void __launch_bounds__(DiagonalShape::threads)
    factor_diagonal_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, terrace::ldlt::PivotRule<Scalar> pivots,
                           const Tile* tiles) {
  constexpr int threads = DiagonalShape::threads;
  extern __shared__ __align__(16) char memory[];
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::inner, front.columns - tile.column), thread = static_cast<int>(threadIdx.x);
  const SharedFront<Scalar> F{reinterpret_cast<Scalar*>(memory), count, count, SharedFront<Scalar>::distance(count)};
  Scalar* behind = F.data + count * F.leading_dimension;
  const SharedPivots<Scalar> D{behind, behind + count};
  Scalar* block = panel_at(numbers, front, tile.column, tile.column);
  for (int k = thread; k < count * count; k += threads)
    if (k % count >= k / count) F(k % count, k / count) = block[k % count + k / count * std::int64_t(front.rows)];
  __syncthreads();
  eliminate_columns<threads>(F, D, front.first_column + tile.column, pivots);
  invert_triangle<threads>(F);
  for (int k = thread; k < count * count; k += threads)
    block[k % count + k / count * std::int64_t(front.rows)] =
        k % count >= k / count ? F(k % count, k / count) : Scalar(0);
  if (thread < count) numbers.pivots[front.first_column + tile.column + thread] = D.pivots[thread];
}

/// Rows from Tile::row on of the block of columns that begins at Tile::column.
template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads)
    solve_panel_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, terrace::ldlt::PivotRule<Scalar> pivots,
                       const Tile* tiles) {
  extern __shared__ __align__(16) char memory[];
  __shared__ SharedNumbers<Scalar, FrontTuning::inner> shared_inverses;
  Scalar* const inverses = shared_inverses.data();
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::inner, front.columns - tile.column), thread = static_cast<int>(threadIdx.x);
  const int rows = min(ProductShape::side, front.rows - tile.row);
  if (thread < count) inverses[thread] = Scalar(1) / numbers.pivots[front.first_column + tile.column + thread];
  Scalar* to = panel_at(numbers, front, tile.row, tile.column);
  const Scalar* inverse = panel_at(numbers, front, tile.column, tile.column);
  ProductTile<Scalar, Contiguous::Rows, Contiguous::Rows> product(memory);
  product.add({to, front.rows, rows, count}, {inverse, front.rows, count, count}, count);
  Growth<incomplete::RealOf<Scalar>> growth;
  product.for_each([&](int i, int j, const Scalar& sum) {
    if (i >= rows || j >= count) return;
    const Scalar l = sum * inverses[j];
    growth.meet(l);
    to[i + j * std::int64_t(front.rows)] = l;
  });
  growth.publish(pivots.record->growth);
}

/// The tile minus L D L^T over the columns [first, first + most) of its front.
template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads)
    update_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Tile* tiles, int first, int most) {
  extern __shared__ __align__(16) char memory[];
  __shared__ SharedNumbers<Scalar, FrontTuning::outer> shared_pivots;
  Scalar* const minus_pivots = shared_pivots.data();
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(most, front.columns - first);
  for (int k = static_cast<int>(threadIdx.x); k < FrontTuning::outer; k += ProductShape::threads)
    minus_pivots[k] = k < count ? -numbers.pivots[front.first_column + first + k] : Scalar(0);
  const TileStorage<Scalar> to(numbers, front, tile, ProductShape::side);
  const int rows = to.rows, columns = to.columns;
  ProductTile<Scalar, Contiguous::Rows, Contiguous::Rows> product(memory);
  product.begin_with([&](int i, int j) {
    return i < rows && j < columns ? to.data[i + j * to.leading_dimension] : Scalar(0);
  });
  product.add({panel_at(numbers, front, tile.row, first), front.rows, rows, count},
              {panel_at(numbers, front, tile.column, first), front.rows, columns, count}, count,
              ScaledBy<Scalar>{minus_pivots});
  product.for_each([&](int i, int j, const Scalar& sum) {
    if (i < rows && j < columns) to.data[i + j * to.leading_dimension] = sum;
  });
}

}  // namespace terrace::cuda::ldlt
