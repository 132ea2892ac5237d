// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves of few right-hand sides with fronts in device memory, each vector by itself; see solve_vectors.hpp. All blocks
// of own columns of all fronts of a level are one kernel's: what a block of columns needs of another it watches for,
// as triangular solves do (watch.hpp), so L is read at its own pace, and a block of 256 columns costs one hop.
//
// Forward a thread block has 64 rows of a front, and goes through their columns from the left: b of a block of columns
// is there when the rows of that block have all that stands before it. Backward it has 64 own columns, and goes through
// their rows from the bottom. Tiles are claimed in an order in which each waits for earlier ones alone, so the kernel
// ends however few of its thread blocks are resident.
#pragma once

#include "backends/cuda/lanes.hpp"
#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/solve_vectors.hpp"

namespace terrace::cuda::ldlt {

/// How a thread block works on a tile.
template <class Scalar, int Threads, int Doubles>
struct ChainShape {
  static constexpr int side = FrontTuning::inner, threads = Threads, warps = threads / warp_size;
  /// Numbers of L that a thread has on their way.
  static constexpr int held = sizeof(Scalar) > sizeof(double) ? Doubles / 2 : Doubles;
  static constexpr int shares = threads / side;         ///< of a row of L, forward
  static constexpr int columns_of_warp = side / warps;  ///< of L, backward
  /// Columns of a tile that follow, forward; rows, backward.
  static constexpr int chunk = shares * held;
  static constexpr int blocks = 1024 / threads / (Doubles / 16);  ///< of a multiprocessor
};

/// Many tiles: what one waits for is hidden behind the others of its multiprocessor.
template <class Scalar>
using WideForward = ChainShape<Scalar, 256, 16>;
template <class Scalar>
using WideBackward = ChainShape<Scalar, 512, 16>;
/// Few tiles: a block of columns is on its way before what it is multiplied with is there.
template <class Scalar>
using DeepShape = ChainShape<Scalar, 512, 32>;

/// The tiles of a kernel, and how many have been claimed; minus one: none.
struct ClaimedTiles {
  const Tile* tiles;
  int count;
  int* claimed;

  /// The next tile and vector, for all threads of a block; vector after vector.
  __device__ Tile claim(int& vector, bool backward) const {
    __shared__ int shared_number;
    if (threadIdx.x == 0) shared_number = atomicAdd(claimed, 1) + 1;
    __syncthreads();
    vector = shared_number / count;
    const int number = shared_number % count;
    return tiles[backward ? count - 1 - number : number];
  }
};

/// 64 rows of a front.
template <class Shape, class Scalar>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    forward_chained_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, ClaimedTiles tiles,
                           UpdateSources from) {
  constexpr int side = Shape::side, threads = Shape::threads, shares = Shape::shares, held = Shape::held;
  constexpr int chunk = Shape::chunk;
  __shared__ SharedNumbers<Scalar, threads> shared_parts;
  __shared__ SharedNumbers<Scalar, 2 * chunk> shared_b;
  Scalar *const parts = shared_parts.data(), *const b = shared_b.data();
  int vector;
  const Tile tile = tiles.claim(vector, false);
  const FrontPlace front = at.fronts[tile.front];
  const int thread = static_cast<int>(threadIdx.x), share = thread / side, row = tile.row + thread % side;
  const std::int64_t stride = front.rows;
  const Scalar* const panel = panels + front.panel + min(row, front.rows - 1);
  const std::size_t of_vector = front.large_column + vector * vectors.large_stride;
  Scalar* const watched = vectors.watched + of_vector;
  const Scalar* const y = vectors.y + front.first_column + vector * vectors.y_stride;
  Scalar* const updates = vectors.updates + vector * vectors.update_stride;
  // Columns of other blocks, and of the block that these rows belong to: X is a lower triangle.
  const int block = tile.row / FrontTuning::outer * FrontTuning::outer;
  const int others = min(block, front.columns), all = min(tile.row + side, front.columns);
  Scalar l[held];
  const auto ask = [&](int first) {
#pragma unroll
    for (int k = 0; k < held; ++k) {
      const int column = first + share + k * shares;
      l[k] = column < all ? panel[column * stride] : Scalar(0);
    }
    constexpr int lines = side * int(sizeof(Scalar)) / 128;  // of a column
    const int ahead = first + 2 * chunk + thread / lines;
    if (thread / lines < chunk && ahead < all)
      cuda::prefetch(panels + front.panel + min(tile.row + thread % lines * (side / lines), front.rows - 1) +
                     ahead * stride);
  };
  ask(0);
  await_and_pass_on();
  Scalar rest(0);
  if (share == 0 && row < front.rows)
    rest = from.gather(static_cast<std::size_t>(tile.column) * side + static_cast<std::size_t>(thread),
                       row < front.columns ? y[row] : Scalar(0), updates);
  Scalar sum(0);
  int buffer = 0;
  const auto add_columns = [&](int first, int end) {
    for (; first < end; first += chunk, buffer ^= chunk) {
      if (thread < min(chunk, end - first)) b[buffer + thread] = await_published(watched + first + thread);
      __syncthreads();
#pragma unroll
      for (int k = 0; k < held; ++k)
        if (first + share + k * shares < end) sum += l[k] * b[buffer + share + k * shares];
      if (first + chunk < all) ask(first + chunk);
    }
  };
  /// Over all shares, in the threads of the first one.
  const auto sum_of_shares = [&] {
    parts[thread] = sum;
    __syncthreads();
    if (share == 0)
      for (int s = 1; s < shares; ++s) sum += parts[thread + s * side];
    __syncthreads();
  };
  add_columns(0, others);
  sum_of_shares();
  rest -= sum;
  if (share == 0 && row < front.columns) publish(watched + row, publishable(rest));
  sum = Scalar(0);
  if (others < all) {
    add_columns(others, all);
    sum_of_shares();
  }
  if (share > 0 || row >= front.rows) return;
  if (row < front.columns)
    vectors.large[of_vector + row] = vectors.result(static_cast<std::size_t>(front.first_column + row), sum);
  else updates[front.update + row - front.columns] = rest - sum;
}

/// 64 own columns of a front: x1 = X^T y1 - M^T x2.
template <class Shape, class Scalar>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    backward_chained_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, ClaimedTiles tiles) {
  constexpr int side = Shape::side, columns = Shape::columns_of_warp, chunk = Shape::chunk;
  constexpr int rows_of_lane = Shape::held / columns, outer = FrontTuning::outer;
  static_assert(rows_of_lane * warp_size * columns * Shape::warps == chunk * side && outer % chunk == 0);
  __shared__ SharedNumbers<Scalar, 2 * chunk> shared_x;
  Scalar* const x = shared_x.data();
  int vector;
  const Tile tile = tiles.claim(vector, true);
  const FrontPlace front = at.fronts[tile.front];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size;
  const int column = tile.column + thread / warp_size * columns;
  const std::int64_t stride = front.rows;
  const Scalar* const panel = panels + front.panel;
  const std::size_t of_vector = front.large_column + vector * vectors.large_stride;
  Scalar* const watched = vectors.watched + of_vector;
  const Scalar* const y = vectors.large + of_vector;
  Scalar* const solution = vectors.y + front.first_column + vector * vectors.y_stride;
  const Scalar* const updates = vectors.updates + front.update + vector * vectors.update_stride;
  const int block = tile.column / outer * outer, end_of_block = min(block + outer, front.columns);
  // Chunks of rows: of the own block, those that are no own columns, then own columns from the last on.
  const int in_block = (end_of_block - block + chunk - 1) / chunk;
  const int below = (front.rows - front.columns + chunk - 1) / chunk;
  const int behind = (front.columns - end_of_block + chunk - 1) / chunk, chunks = in_block + below + behind;
  const auto first_row = [&](int number) {
    if (number < in_block) return block + number * chunk;
    if (number < in_block + below) return front.columns + (number - in_block) * chunk;
    return end_of_block + (chunks - 1 - number) * chunk;
  };
  const auto end_row = [&](int number) {
    const int first = first_row(number);
    return min(first + chunk, number < in_block           ? end_of_block
                              : number < in_block + below ? front.rows
                                                          : front.columns);
  };
  Scalar l[rows_of_lane][columns];
  const auto ask = [&](int number) {
    const int first = first_row(number), end = end_row(number);
#pragma unroll
    for (int k = 0; k < columns; ++k)
#pragma unroll
      for (int i = 0; i < rows_of_lane; ++i) {
        const int row = first + lane + i * warp_size;
        l[i][k] = row < end && column + k < front.columns ? panel[row + (column + k) * stride] : Scalar(0);
      }
    if (number + 2 >= chunks) return;
    constexpr int lines = chunk * int(sizeof(Scalar)) / 128;  // of a column
    const int ahead = first_row(number + 2) + thread % lines * (chunk / lines), of = tile.column + thread / lines;
    if (thread / lines < side && ahead < end_row(number + 2) && of < front.columns)
      cuda::prefetch(panel + ahead + of * stride);
  };
  ask(0);
  await_and_pass_on();
  Scalar sums[columns];
  for (auto& sum : sums) sum = Scalar(0);
  for (int number = 0, buffer = 0; number < chunks; ++number, buffer ^= chunk) {
    const int row = first_row(number) + thread;
    if (thread < chunk) {
      Scalar value(0);
      if (row < end_row(number))
        value = number < in_block           ? y[row]
                : number < in_block + below ? updates[row - front.columns]
                                            : -await_published(watched + row);
      x[buffer + thread] = value;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < rows_of_lane; ++i)
#pragma unroll
      for (int k = 0; k < columns; ++k) sums[k] += l[i][k] * x[buffer + lane + i * warp_size];
    if (number + 1 < chunks) ask(number + 1);
  }
#pragma unroll
  for (int k = 0; k < columns; ++k) {
    const Scalar sum = sum_over_lanes<5>(sums[k]);
    if (lane == 0 && column + k < front.columns) {
      publish(watched + column + k, publishable(sum));
      solution[column + k] = sum;
    }
  }
}

}  // namespace terrace::cuda::ldlt
