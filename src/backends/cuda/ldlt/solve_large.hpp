// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves with fronts in device memory, tile by tile; see solve_vectors.hpp. Few right-hand sides one by one, bound by
// the bytes of L; more by products.
#pragma once

#include "backends/cuda/lanes.hpp"
#include "backends/cuda/ldlt/assemble.hpp"
#include "backends/cuda/ldlt/product_tile.hpp"
#include "backends/cuda/ldlt/solve_vectors.hpp"

namespace terrace::cuda::ldlt {

struct SolveShape {
  static constexpr int side = FrontTuning::inner, threads = 256, batch = 32;
  static constexpr int columns = 8;      ///< of right-hand sides, gathered by a thread block
  static constexpr int own_columns = 4;  ///< of L, by a thread block of a backward solve
};

/// Forward: b of the rows from Tile::row on.
template <class Scalar>
__global__ void __launch_bounds__(SolveShape::threads)
    gather_updates_kernel(FrontPlaces at, SolveVectors<Scalar> vectors, const Tile* tiles) {
  constexpr int side = SolveShape::side, threads = SolveShape::threads;
  __shared__ ChildRanges<SolveShape::batch> ranges;
  __shared__ SharedNumbers<Scalar, side * SolveShape::columns> shared_sums;
  Scalar* const sums = shared_sums.data();
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int begin = static_cast<int>(blockIdx.y) * SolveShape::columns;
  const int columns = min(SolveShape::columns, vectors.columns - begin);
  const int thread = static_cast<int>(threadIdx.x);
  const Scalar* y = vectors.y + front.first_column + begin * vectors.y_stride;
  Scalar* updates = vectors.updates + begin * vectors.update_stride;
  await_and_pass_on();
  for (int k = thread; k < side * columns; k += threads) {
    const int row = tile.row + k % side;
    sums[k] = row < front.columns ? y[row + k / side * vectors.y_stride] : Scalar(0);
  }
  const int rows[2] = {tile.row, min(tile.row + side, front.rows)}, all[2] = {0, front.rows};
  for_each_child<threads>(
      ranges, at, front, rows, all, [&](const ChildPlace& child, const int(&i)[2], const int(&)[2]) {
        const int count = i[1] - i[0];
        for (int k = thread; k < count * columns; k += threads) {
          const int row = i[0] + k % count, q = k / count;
          sums[at.place_in_parent[child.row + row] - tile.row + q * side] +=
              updates[child.update + row + q * vectors.update_stride];
        }
      });
  __syncthreads();
  Scalar* own = vectors.own + front.first_column + begin * vectors.own_stride;
  for (int k = thread; k < side * columns; k += threads) {
    const int row = tile.row + k % side, q = k / side;
    if (row < front.columns) own[row + q * vectors.own_stride] = sums[k];
    else if (row < front.rows) updates[front.update + row - front.columns + q * vectors.update_stride] = sums[k];
  }
}

/// Where the product of a row with the block of own columns that ends at `end` goes.
template <class Scalar>
__device__ void store_forward(const SolveVectors<Scalar>& vectors, const FrontPlace& front, int row, int end, int q,
                              const Scalar& sum) {
  if (row < end) vectors.y[front.first_column + row + q * vectors.y_stride] = sum;
  else if (row < front.columns) vectors.own[front.first_column + row + q * vectors.own_stride] -= sum;
  else if (row < front.rows) vectors.updates[front.update + row - front.columns + q * vectors.update_stride] -= sum;
}

/// 64 rows by 256 own columns from `first` on.
template <class Scalar>
__global__ void __launch_bounds__(SolveShape::threads)
    forward_step_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, const Tile* tiles,
                        int first) {
  constexpr int side = SolveShape::side, threads = SolveShape::threads, shares = threads / side;
  __shared__ SharedNumbers<Scalar, FrontTuning::outer> shared_b;
  __shared__ SharedNumbers<Scalar, threads> shared_parts;
  Scalar *const b = shared_b.data(), *const parts = shared_parts.data();
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::outer, front.columns - first), q = static_cast<int>(blockIdx.y);
  const int thread = static_cast<int>(threadIdx.x), row = tile.row + thread % side, share = thread / side;
  const Scalar* own = vectors.own + front.first_column + first + q * vectors.own_stride;
  const std::int64_t stride = front.rows;
  const Scalar* panel = panels + front.panel + row + first * stride;
  prefetch(panels + front.panel + tile.row + first * stride, stride, min(side, front.rows - tile.row), count);
  await_and_pass_on();
  for (int k = thread; k < count; k += threads) b[k] = own[k];
  __syncthreads();
  Scalar sum(0);
  if (row < front.rows) {
#pragma unroll 16
    for (int k = share; k < count; k += shares) sum += panel[k * stride] * b[k];
  }
  parts[thread] = sum;
  __syncthreads();
  if (share > 0) return;
  for (int s = 1; s < shares; ++s) sum += parts[thread + s * side];
  store_forward(vectors, front, row, first + count, q, sum);
}

template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads)
    forward_step_columns_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, const Tile* tiles,
                                int first) {
  extern __shared__ __align__(16) char memory[];
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::outer, front.columns - first), rows = min(ProductShape::side, front.rows - tile.row);
  const std::int64_t stride = front.rows;
  ProductTile<Scalar, Contiguous::Rows, Contiguous::Columns> product(memory);
  const Scalar* panel = panels + front.panel + tile.row + first * stride;
  prefetch(panel, stride, rows, count);
  await_and_pass_on();
  product.add({panel, stride, rows, count},
              {vectors.own + front.first_column + first, static_cast<std::int64_t>(vectors.own_stride), vectors.columns,
               count},
              count);
  product.for_each([&](int i, int q, const Scalar& sum) {
    if (i < rows && q < vectors.columns) store_forward(vectors, front, tile.row + i, first + count, q, sum);
  });
}

/// Backward: -x2 of the rows from Tile::row on.
template <class Scalar>
__global__ void __launch_bounds__(SolveShape::side)
    gather_solution_kernel(FrontPlaces at, SolveVectors<Scalar> vectors, const Tile* tiles) {
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int row = tile.row + static_cast<int>(threadIdx.x);
  await_and_pass_on();
  if (row >= front.rows) return;
  const int from = at.rows[front.row + row];
  const int end = min(vectors.columns, (static_cast<int>(blockIdx.y) + 1) * SolveShape::columns);
  for (int q = static_cast<int>(blockIdx.y) * SolveShape::columns; q < end; ++q)
    vectors.updates[front.update + row - front.columns + q * vectors.update_stride] =
        -vectors.own[from + q * vectors.own_stride];
}

/// Adds products of rows [first, end) of some columns with a vector to the sums of a thread.
template <class Scalar>
__device__ void add_columns(Scalar (&sums)[SolveShape::own_columns], const Scalar* panel, std::int64_t stride,
                            int columns, int first, int end, const Scalar* vector) {
#pragma unroll 4
  for (int row = first + static_cast<int>(threadIdx.x); row < end; row += SolveShape::threads) {
    const Scalar factor = vector[row - first];
#pragma unroll
    for (int k = 0; k < SolveShape::own_columns; ++k)
      if (k < columns) sums[k] += panel[row + k * stride] * factor;
  }
}

/// Calls store(column, sum) with the sums over all threads.
template <class Scalar, class Store>
__device__ void sum_over_block(const Scalar (&sums)[SolveShape::own_columns], const Store& store) {
  constexpr int warps = SolveShape::threads / 32;
  __shared__ SharedNumbers<Scalar, SolveShape::own_columns * warps> shared_parts;
  Scalar* const parts = shared_parts.data();
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int k = 0; k < SolveShape::own_columns; ++k) {
    const Scalar sum = sum_over_lanes<5>(sums[k]);
    if (thread % 32 == 0) parts[k * warps + thread / 32] = sum;
  }
  __syncthreads();
  if (thread >= SolveShape::own_columns) return;
  Scalar sum(0);
  for (int w = 0; w < warps; ++w) sum += parts[thread * warps + w];
  store(thread, sum);
}

/// X^T y1 - M^T x2, but for M between own columns: those from Tile::column + 4 blockIdx.y on.
template <class Scalar>
__global__ void __launch_bounds__(SolveShape::threads)
    backward_begin_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, const Tile* tiles) {
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int column = tile.column + static_cast<int>(blockIdx.y) * SolveShape::own_columns;
  const int q = static_cast<int>(blockIdx.z);
  const int count = min(SolveShape::own_columns, front.columns - column);
  const int first = column / FrontTuning::outer * FrontTuning::outer;
  const int end = min(first + FrontTuning::outer, front.columns);
  const std::int64_t stride = front.rows;
  const Scalar* panel = panels + front.panel + column * stride;
  Scalar sums[SolveShape::own_columns];
  for (auto& sum : sums) sum = Scalar(0);
  if (count > 0) prefetch(panel + first, stride, front.rows - first, count);
  await_and_pass_on();
  if (count <= 0) return;
  add_columns(sums, panel, stride, count, first, end,
              vectors.y + front.first_column + first + q * vectors.y_stride);
  add_columns(sums, panel, stride, count, front.columns, front.rows,
              vectors.updates + front.update + q * vectors.update_stride);
  sum_over_block(sums, [&](int k, const Scalar& sum) {
    if (k < count) vectors.own[front.first_column + column + k + q * vectors.own_stride] = sum;
  });
}

/// Minus M^T x of the own rows [first, first + 256), whose x is known.
template <class Scalar>
__global__ void __launch_bounds__(SolveShape::threads)
    backward_step_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, const Tile* tiles,
                         int first) {
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int column = tile.column + static_cast<int>(blockIdx.y) * SolveShape::own_columns;
  const int q = static_cast<int>(blockIdx.z), end = min(first + FrontTuning::outer, front.columns);
  const std::int64_t stride = front.rows;
  Scalar* own = vectors.own + front.first_column + q * vectors.own_stride;
  Scalar sums[SolveShape::own_columns];
  for (auto& sum : sums) sum = Scalar(0);
  const Scalar* panel = panels + front.panel + column * stride;
  prefetch(panel + first, stride, end - first, SolveShape::own_columns);
  await_and_pass_on();
  add_columns(sums, panel, stride, SolveShape::own_columns, first, end, own + first);
  sum_over_block(sums, [&](int k, const Scalar& sum) { own[column + k] -= sum; });
}

/// The same two for several right-hand sides, 64 own columns each.
template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads)
    backward_begin_columns_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors,
                                  const Tile* tiles) {
  extern __shared__ __align__(16) char memory[];
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int columns = min(ProductShape::side, front.columns - tile.column), below = front.rows - front.columns;
  const int first = tile.column / FrontTuning::outer * FrontTuning::outer;
  const int count = min(FrontTuning::outer, front.columns - first);
  const std::int64_t stride = front.rows;
  const Scalar* panel = panels + front.panel + tile.column * stride;
  ProductTile<Scalar, Contiguous::Columns, Contiguous::Columns> product(memory);
  prefetch(panel + first, stride, front.rows - first, columns);
  await_and_pass_on();
  product.add({panel + first, stride, columns, count},
              {vectors.y + front.first_column + first, static_cast<std::int64_t>(vectors.y_stride), vectors.columns,
               count},
              count);
  product.add({panel + front.columns, stride, columns, below},
              {vectors.updates + front.update, static_cast<std::int64_t>(vectors.update_stride), vectors.columns,
               below},
              below);
  Scalar* own = vectors.own + front.first_column + tile.column;
  product.for_each([&](int i, int q, const Scalar& sum) {
    if (i < columns && q < vectors.columns) own[i + q * vectors.own_stride] = sum;
  });
}

template <class Scalar>
__global__ void __launch_bounds__(ProductShape::threads)
    backward_step_columns_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, const Tile* tiles,
                                 int first) {
  extern __shared__ __align__(16) char memory[];
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const int count = min(FrontTuning::outer, front.columns - first);
  const std::int64_t stride = front.rows;
  Scalar* own = vectors.own + front.first_column;
  ProductTile<Scalar, Contiguous::Columns, Contiguous::Columns> product(memory);
  const Scalar* panel = panels + front.panel + first + tile.column * stride;
  prefetch(panel, stride, count, ProductShape::side);
  await_and_pass_on();
  product.add({panel, stride, ProductShape::side, count},
              {own + first, static_cast<std::int64_t>(vectors.own_stride), vectors.columns, count}, count);
  product.for_each([&](int i, int q, const Scalar& sum) {
    if (q < vectors.columns) own[tile.column + i + q * vectors.own_stride] -= sum;
  });
}

/// Y = D^-1 Y.
template <class Scalar>
__global__ void divide_by_pivots_kernel(SolveVectors<Scalar> vectors, const Scalar* pivots, std::size_t rows) {
  const std::size_t row = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  await_and_pass_on();
  if (row >= rows) return;
  const Scalar pivot = pivots[row];
  const int end = min(vectors.columns, (static_cast<int>(blockIdx.y) + 1) * SolveShape::columns);
  for (int q = static_cast<int>(blockIdx.y) * SolveShape::columns; q < end; ++q)
    vectors.y[row + q * vectors.y_stride] = vectors.y[row + q * vectors.y_stride] / pivot;
}

/// Y = x.
template <class Scalar>
__global__ void copy_solution_kernel(SolveVectors<Scalar> vectors, std::size_t rows) {
  const std::size_t row = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  await_and_pass_on();
  if (row >= rows) return;
  const int end = min(vectors.columns, (static_cast<int>(blockIdx.y) + 1) * SolveShape::columns);
  for (int q = static_cast<int>(blockIdx.y) * SolveShape::columns; q < end; ++q)
    vectors.y[row + q * vectors.y_stride] = vectors.own[row + q * vectors.own_stride];
}

}  // namespace terrace::cuda::ldlt
