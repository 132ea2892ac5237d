// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves of several right-hand sides with fronts in device memory, by products of tiles; see solve_vectors.hpp.
#pragma once

#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/product_tile.hpp"
#include "backends/cuda/ldlt/solve_vectors.hpp"

namespace terrace::cuda::ldlt {

struct SolveShape {
  static constexpr int side = FrontTuning::inner, threads = 256;
  static constexpr int columns = 8;  ///< of right-hand sides, gathered by a thread block
};

/// Forward: b of the rows from Tile::row on.
template <class Scalar>
__global__ void __launch_bounds__(SolveShape::threads)
    gather_updates_kernel(FrontPlaces at, UpdateSources from, SolveVectors<Scalar> vectors, const Tile* tiles) {
  constexpr int side = SolveShape::side;
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int thread = static_cast<int>(threadIdx.x), row = tile.row + thread % side;
  await_and_pass_on();
  if (row >= front.rows) return;
  const std::size_t place = static_cast<std::size_t>(tile.column) * side + static_cast<std::size_t>(thread % side);
  const bool is_own = row < front.columns;
  const std::size_t own = static_cast<std::size_t>(front.first_column + row);
  constexpr int at_once = SolveShape::columns * side / SolveShape::threads;
  const int first = static_cast<int>(blockIdx.y) * SolveShape::columns + thread / side * at_once;
  const int count = min(at_once, vectors.columns - first);
  Scalar* const updates = vectors.updates + first * vectors.update_stride;
  Scalar b[at_once];
#pragma unroll
  for (int q = 0; q < at_once; ++q)
    b[q] = is_own && q < count ? vectors.y[own + (first + q) * vectors.y_stride] : Scalar(0);
  from.for_each(place, [&](std::size_t source) {
#pragma unroll
    for (int q = 0; q < at_once; ++q)
      if (q < count) b[q] += updates[source + q * vectors.update_stride];
  });
#pragma unroll
  for (int q = 0; q < at_once; ++q) {
    if (q >= count) break;
    if (is_own) vectors.y[own + (first + q) * vectors.y_stride] = b[q];
    else updates[front.update + row - front.columns + q * vectors.update_stride] = b[q];
  }
}

/// Where the product of a row with the block of own columns that ends at `end` goes: rows before `end` become it,
/// others lose it.
template <class Scalar>
__device__ Scalar* forward_place(const SolveVectors<Scalar>& vectors, const FrontPlace& front, int row, int end,
                                 int q) {
  if (row < end) return &vectors.large[front.large_column + row + q * vectors.large_stride];
  if (row < front.columns) return &vectors.y[front.first_column + row + q * vectors.y_stride];
  return row < front.rows ? &vectors.updates[front.update + row - front.columns + q * vectors.update_stride] : nullptr;
}

/// The right-hand sides that a thread block multiplies with: those of `blockIdx.y`.
template <int Columns, class Scalar>
__device__ SolveVectors<Scalar> columns_of_block(const SolveVectors<Scalar>& vectors) {
  return vectors.part(static_cast<int>(blockIdx.y) * Columns, Columns);
}

/// 64 rows by 256 own columns from `first` on.
template <int Columns, class Scalar>
__global__ void __launch_bounds__(ProductShape::threads_of(Columns))
    forward_step_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> all, const Tile* tiles, int first) {
  extern __shared__ __align__(16) char memory[];
  const auto vectors = columns_of_block<Columns>(all);
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::outer, front.columns - first),
            rows = min(ProductShape::side, front.rows - tile.row);
  const std::int64_t stride = front.rows;
  ProductTile<Scalar, Contiguous::Rows, Contiguous::Columns, ProductShape::threads_of(Columns), Columns> product(
      memory);
  const Scalar* panel = panels + front.panel + tile.row + first * stride;
  if (blockIdx.y == 0) prefetch(panel, stride, rows, count);
  await_and_pass_on();
  product.add(
      {panel, stride, rows, count},
      {vectors.y + front.first_column + first, static_cast<std::int64_t>(vectors.y_stride), vectors.columns, count},
      count);
  const auto at_place = [&](int i, int q) {
    return q < vectors.columns ? forward_place(vectors, front, tile.row + i, first + count, q) : nullptr;
  };
  product.combine_with(at_place, [&](int i, const Scalar& number, const Scalar& sum) {
    return tile.row + i < first + count ? vectors.result(front.first_column + tile.row + i, sum) : number - sum;
  });
}

/// Backward, of few right-hand sides: -x2 of the rows from Tile::row on.
template <class Scalar>
__global__ void __launch_bounds__(SolveShape::side)
    gather_solution_kernel(FrontPlaces at, SolveVectors<Scalar> vectors, const Tile* tiles) {
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int row = tile.row + static_cast<int>(threadIdx.x);
  await_and_pass_on();
  if (row >= front.rows) return;
  const int from = at.rows[front.row + row];
  const auto part = columns_of_block<SolveShape::columns>(vectors);
  Scalar* const updates = part.updates + front.update + row - front.columns;
  Scalar x[SolveShape::columns];
#pragma unroll
  for (int q = 0; q < SolveShape::columns; ++q)
    if (q < part.columns) x[q] = part.y[from + q * part.y_stride];
#pragma unroll
  for (int q = 0; q < SolveShape::columns; ++q)
    if (q < part.columns) updates[q * part.update_stride] = -x[q];
}

/// X^T y1 - M^T x2, but for M between own columns: 64 of those.
template <int Columns, class Scalar>
__global__ void __launch_bounds__(ProductShape::threads_of(Columns))
    backward_begin_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> all, const Tile* tiles) {
  extern __shared__ __align__(16) char memory[];
  const auto vectors = columns_of_block<Columns>(all);
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int columns = min(ProductShape::side, front.columns - tile.column), below = front.rows - front.columns;
  const int first = tile.column / FrontTuning::outer * FrontTuning::outer;
  const int count = min(FrontTuning::outer, front.columns - first);
  const std::int64_t stride = front.rows;
  const Scalar* panel = panels + front.panel + tile.column * stride;
  ProductTile<Scalar, Contiguous::Columns, Contiguous::Columns, ProductShape::threads_of(Columns), Columns> product(
      memory);
  if (blockIdx.y == 0) prefetch(panel + first, stride, front.rows - first, columns);
  await_and_pass_on();
  const auto of = [&](const Scalar* data, std::size_t distance, int rows) {
    return Factor<Scalar>{data, static_cast<std::int64_t>(distance), vectors.columns, rows};
  };
  product.add({panel + first, stride, columns, count},
              of(vectors.large + front.large_column + first, vectors.large_stride, count), count);
  product.add({panel + front.columns, stride, columns, below},
              GatheredFactor<Scalar>{of(vectors.y, vectors.y_stride, below), at.rows + front.row + front.columns},
              below, Negative());
  Scalar* x = vectors.y + front.first_column + tile.column;
  product.for_each([&](int i, int q, const Scalar& sum) {
    if (i < columns && q < vectors.columns) x[i + q * vectors.y_stride] = sum;
  });
}

/// Minus M^T x of the own rows [first, first + 256), whose x is known.
template <int Columns, class Scalar>
__global__ void __launch_bounds__(ProductShape::threads_of(Columns))
    backward_step_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> all, const Tile* tiles, int first) {
  extern __shared__ __align__(16) char memory[];
  const auto vectors = columns_of_block<Columns>(all);
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::outer, front.columns - first);
  const std::int64_t stride = front.rows;
  Scalar* x = vectors.y + front.first_column;
  ProductTile<Scalar, Contiguous::Columns, Contiguous::Columns, ProductShape::threads_of(Columns), Columns> product(
      memory);
  const Scalar* panel = panels + front.panel + first + tile.column * stride;
  if (blockIdx.y == 0) prefetch(panel, stride, count, ProductShape::side);
  await_and_pass_on();
  product.add({panel, stride, ProductShape::side, count},
              {x + first, static_cast<std::int64_t>(vectors.y_stride), vectors.columns, count}, count);
  product.combine_with(
      [&](int i, int q) { return q < vectors.columns ? x + tile.column + i + q * vectors.y_stride : nullptr; },
      [](int, const Scalar& number, const Scalar& sum) { return number - sum; });
}

/// Y = D^-1 Y.
template <class Scalar>
__global__ void divide_by_pivots_kernel(SolveVectors<Scalar> all, std::size_t rows) {
  const std::size_t row = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  const auto vectors = columns_of_block<SolveShape::columns>(all);
  await_and_pass_on();
  if (row >= rows) return;
#pragma unroll
  for (int q = 0; q < SolveShape::columns; ++q)
    if (q < vectors.columns)
      vectors.y[row + q * vectors.y_stride] = vectors.result(row, vectors.y[row + q * vectors.y_stride]);
}

/// Of 64 own rows y1 goes to where the caller has it, or comes from there.
template <bool ToCaller, class Scalar>
__global__ void __launch_bounds__(SolveShape::side)
    move_large_kernel(FrontPlaces at, SolveVectors<Scalar> all, const Tile* tiles) {
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int row = tile.column + static_cast<int>(threadIdx.x);
  const auto vectors = columns_of_block<SolveShape::columns>(all);
  await_and_pass_on();
  if (row >= front.columns) return;
  for (int q = 0; q < vectors.columns; ++q) {
    Scalar& of_caller = vectors.y[front.first_column + row + q * vectors.y_stride];
    Scalar& own = vectors.large[front.large_column + row + q * vectors.large_stride];
    if constexpr (ToCaller) of_caller = own;
    else own = of_caller;
  }
}

}  // namespace terrace::cuda::ldlt
