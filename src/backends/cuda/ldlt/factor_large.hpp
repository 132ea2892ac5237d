// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fronts in device memory, all of a level side by side. For each block of 64 own columns, left-looking inside a block
// of 256:
//
//     diagonal block:  A11 - L D L^T of the columns before = L11 D L11^T, and X = L11^-1 in its place, by one thread
//     block panel:           L21 = (A21 - L D L^T of the columns before) X^T D^-1
//
// and after each block of 256 columns all that is right of it minus L21 D L21^T.
#pragma once

#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/product_tile.hpp"
#include "backends/cuda/ldlt/tiled_front.hpp"
#include "backends/cuda/ldlt/tuning.hpp"

namespace terrace::cuda::ldlt {

/// Minus D of the own columns [first, end) of a front, at most 256, for all threads; zeros behind.
template <class Scalar>
__device__ void load_minus_pivots(Scalar* minus_pivots, const FrontNumbers<Scalar>& numbers, const FrontPlace& front,
                                  int first, int end) {
  for (int k = static_cast<int>(threadIdx.x); k < FrontTuning::outer; k += static_cast<int>(blockDim.x))
    minus_pivots[k] = first + k < end ? -numbers.pivots[front.first_column + first + k] : Scalar(0);
}

/// Adds what the own columns [first, end) take away from 64 columns from `column` on: -L D L^T in rows from `row` on.
template <class Scalar, class Product>
__device__ void add_earlier_columns(Product& product, const FrontNumbers<Scalar>& numbers, const FrontPlace& front,
                                    int row, int rows, int column, int columns, int first, int end,
                                    const Scalar* minus_pivots) {
  product.add({panel_at(numbers, front, row, first), front.rows, rows, end - first},
              {panel_at(numbers, front, column, first), front.rows, columns, end - first}, end - first,
              ScaledBy<Scalar>{minus_pivots});
}

struct DiagonalShape {
  static constexpr int threads = 256;
  template <class Scalar>
  using Front = TiledFront<threads, Scalar>;

  template <class Scalar>
  static constexpr std::size_t bytes() {
    const std::size_t block = Front<Scalar>::bytes(FrontTuning::inner);
    const std::size_t product = ProductShape::bytes<Scalar>(Contiguous::Rows, Contiguous::Rows);
    return block > product ? block : product;
  }
};

/// Tile::column: the first column of the block. Of the columns before, only the last 64 are those of the kernel before.
template <class Scalar>
__global__ void __launch_bounds__(DiagonalShape::threads)
    factor_diagonal_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, terrace::ldlt::PivotRule<Scalar> pivots,
                           const Tile* tiles) {
  extern __shared__ __align__(16) char memory[];
  __shared__ SharedNumbers<Scalar, FrontTuning::outer> minus_pivots;
  using Front = DiagonalShape::Front<Scalar>;
  __shared__ typename Front::Shared shared;
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::inner, front.columns - tile.column);
  const int first = tile.column / FrontTuning::outer * FrontTuning::outer;
  const std::int64_t stride = front.rows;
  Scalar* block = panel_at(numbers, front, tile.column, tile.column);
  const Front F(memory, shared, count);
  const int rows = F.whole_rows();
  const bool is_later = tile.column > first;
  if (!is_later) {
    await_and_pass_on();
  } else {
    ProductTile<Scalar, Contiguous::Rows, Contiguous::Rows, DiagonalShape::threads> product(memory);
    const int last = tile.column - FrontTuning::inner;
    const auto add = [&](int begin, int end) {
      add_earlier_columns(product, numbers, front, tile.column, count, tile.column, count, begin, end,
                          minus_pivots.data() + (begin - first));
    };
    await_what_is_given(Stands::Behind);
    load_minus_pivots(minus_pivots.data(), numbers, front, first, tile.column);
    if (last > first) add(first, last);
    await_and_pass_on();
    add(last, tile.column);
    product.for_each([&](int i, int k, const Scalar& sum) {
      if (i >= k && i < rows) F.set(F.place(i, k), sum);
    });
    __syncthreads();
  }
  constexpr int inner = FrontTuning::inner, each = inner * inner / DiagonalShape::threads;
  const auto place = [](int n) { return n * DiagonalShape::threads + static_cast<int>(threadIdx.x); };
  Scalar number[each];
#pragma unroll
  for (int n = 0; n < each; ++n) {
    const int i = place(n) % inner, k = place(n) / inner;
    number[n] = i >= k && i < count ? block[i + k * stride] : Scalar(0);
  }
#pragma unroll
  for (int n = 0; n < each; ++n) {
    const int i = place(n) % inner, k = place(n) / inner;
    if (i < k || i >= rows) continue;
    const typename Front::Held value(number[n]);
    F.set(F.place(i, k), is_later ? F.get(F.place(i, k)) + value : value);
  }
  __syncthreads();
  const int first_row = front.first_column + tile.column;
  F.eliminate(count, first_row, pivots, numbers.pivots + first_row);
  F.for_each_of_panel(count, [&](int i, int k, const Scalar& value) { block[i + k * stride] = value; });
}

/// Rows from Tile::row on of the block of columns that begins at Tile::column. What the columns before take away does
/// not wait for the diagonal block.
template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads)
    solve_panel_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, terrace::ldlt::PivotRule<Scalar> pivots,
                       const Tile* tiles) {
  extern __shared__ __align__(16) char memory[];
  __shared__ SharedNumbers<Scalar, FrontTuning::outer> minus_pivots;
  __shared__ SharedNumbers<Scalar, FrontTuning::inner> inverses;
  using Product = ProductTile<Scalar, Contiguous::Rows, Contiguous::Rows>;
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::inner, front.columns - tile.column), thread = static_cast<int>(threadIdx.x);
  const int rows = min(ProductShape::side, front.rows - tile.row);
  const int first = tile.column / FrontTuning::outer * FrontTuning::outer;
  const std::int64_t stride = front.rows;
  Scalar* to = panel_at(numbers, front, tile.row, tile.column);
  if (tile.column > first) {
    load_minus_pivots(minus_pivots.data(), numbers, front, first, tile.column);
    Product product(memory);
    add_earlier_columns(product, numbers, front, tile.row, rows, tile.column, count, first, tile.column,
                        minus_pivots.data());
    product.combine_with([&](int i, int k) { return i < rows && k < count ? to + i + k * stride : nullptr; },
                         [](int, const Scalar& number, const Scalar& sum) { return number + sum; });
  }
  await_and_pass_on();
  Scalar pivot(1);
  if (thread < count) pivot = numbers.pivots[front.first_column + tile.column + thread];
  __syncthreads();  // all of the tile has been written
  Product product(memory);
  product.add({to, stride, rows, count}, {panel_at(numbers, front, tile.column, tile.column), stride, count, count},
              count);
  if (thread < count) inverses.data()[thread] = reciprocal(pivot);
  __syncthreads();
  Growth<terrace::incomplete::RealOf<Scalar>> growth;
  product.for_each([&](int i, int k, const Scalar& sum) {
    if (i >= rows || k >= count) return;
    const Scalar l = sum * inverses.data()[k];
    growth.meet(l);
    to[i + k * stride] = l;
  });
  growth.publish(pivots.record->growth);
}

/// The tile minus L D L^T over the 256 columns from `first` on.
template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads, ProductShape::blocks<Scalar>)
    update_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Tile* tiles, int first) {
  extern __shared__ __align__(16) char memory[];
  __shared__ SharedNumbers<Scalar, FrontTuning::outer> minus_pivots;
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int end = min(first + FrontTuning::outer, front.columns), count = end - first;
  const int rows = min(ProductShape::side, front.rows - tile.row);
  const int columns = min(ProductShape::side, (tile.column < front.columns ? front.columns : front.rows) - tile.column);
  await_what_is_given(Stands::Behind);  // the pivots are those of the kernel before the last
  load_minus_pivots(minus_pivots.data(), numbers, front, first, end);
  await_and_pass_on();
  ProductTile<Scalar, Contiguous::Rows, Contiguous::Rows> product(memory);
  product.add({panel_at(numbers, front, tile.row, first), front.rows, rows, count},
              {panel_at(numbers, front, tile.column, first), front.rows, columns, count}, count,
              ScaledBy<Scalar>{minus_pivots.data()});
  const TileStorage<Scalar> to(numbers, front, tile, ProductShape::side);
  product.combine_with(
      [&](int i, int k) { return i < rows && k < columns ? to.data + i + k * to.leading_dimension : nullptr; },
      [](int, const Scalar& number, const Scalar& sum) { return number + sum; });
}

}  // namespace terrace::cuda::ldlt
