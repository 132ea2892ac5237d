// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves of one right-hand side with fronts that were factorized in shared memory: a thread block for each front.
#pragma once

#include "backends/cuda/lanes.hpp"
#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/solve_vectors.hpp"

namespace terrace::cuda::ldlt {

/// A thread for each row. Of several children the places of their rows are on their way before what they are added to
/// may be touched, and their updates before the first of them is added.
template <int Threads, class Scalar>
__global__ void __launch_bounds__(Threads)
    forward_small_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, int first, Stands stands) {
  extern __shared__ __align__(16) char memory[];
  Scalar* const b = reinterpret_cast<Scalar*>(memory);
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int rows = front.rows, own = front.columns, thread = static_cast<int>(threadIdx.x);
  Scalar* const y = vectors.y + front.first_column;
  prefetch(panels + front.panel, 0, rows * own, 1);
  constexpr int at_once = 4;
  ChildPlace child[at_once];
  int place[at_once];
  const auto ask = [&](int c) {
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      child[k] = c + k < front.children ? at.children[front.child + c + k] : ChildPlace{};
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      place[k] = thread < child[k].rows ? at.place_in_parent[child[k].row + thread] : -1;
  };
  ask(0);
  begin_work(stands);
  for (int row = thread; row < rows; row += Threads) b[row] = row < own ? y[row] : Scalar(0);
  __syncthreads();
  for (int c = 0; c < front.children; c += at_once) {
    Scalar update[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (place[k] >= 0) update[k] = vectors.updates[child[k].update + thread];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (place[k] >= 0) b[place[k]] += update[k];
      for (int row = thread + Threads; row < child[k].rows; row += Threads)
        b[at.place_in_parent[child[k].row + row]] += vectors.updates[child[k].update + row];
      if (c + k < front.children) __syncthreads();
    }
    if (c + at_once < front.children) ask(c + at_once);
  }
  for (int row = thread; row < rows; row += Threads) {
    const Scalar* const panel = panels + front.panel + row;
    const int end = min(row + 1, own);
    Scalar sum(0);
#pragma unroll 8
    for (int k = 0; k < end; ++k) sum += panel[k * rows] * b[k];
    if (row < own) y[row] = vectors.result(front.first_column + row, sum);
    else vectors.updates[front.update + row - own] = b[row] - sum;
  }
  end_work(stands);
}

/// A warp for each own column.
template <int Threads, class Scalar>
__global__ void __launch_bounds__(Threads)
    backward_small_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, int first,
                          Stands stands) {
  extern __shared__ __align__(16) char memory[];
  Scalar* v = reinterpret_cast<Scalar*>(memory);
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int rows = front.rows, own = front.columns;
  prefetch(panels + front.panel, 0, rows * own, 1);
  const int thread = static_cast<int>(threadIdx.x);
  const auto column_of = [&](int row) {  // in x
    return row < own ? front.first_column + row : row < rows ? at.rows[front.row + row] : 0;
  };
  int column = column_of(thread);
  begin_work(stands);
  for (int row = thread; row < rows; row += Threads, column = column_of(row))  // y1 and -x2
    v[row] = row < own ? vectors.y[column] : -vectors.own[column];
  __syncthreads();
  constexpr int at_once = 4, warps = Threads / 32;
  const int lane = thread % 32, warp = thread / 32;
  for (column = warp * at_once; column < own; column += warps * at_once) {
    const Scalar* panel = panels + front.panel + column * rows;
    Scalar sums[at_once];
    for (auto& sum : sums) sum = Scalar(0);
    for (int row = column + lane; row < rows; row += 32)
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (column + k < own && row >= column + k) sums[k] += panel[row + k * rows] * v[row];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const Scalar sum = sum_over_lanes<5>(sums[k]);
      if (lane == 0 && column + k < own) vectors.own[front.first_column + column + k] = sum;
    }
  }
  end_work(stands);
}

}  // namespace terrace::cuda::ldlt
