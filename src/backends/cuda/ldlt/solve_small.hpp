// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves of one right-hand side with fronts that were factorized in shared memory: a thread block for each front.
#pragma once

#include "backends/cuda/lanes.hpp"
#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/solve_vectors.hpp"

namespace terrace::cuda::ldlt {

/// A thread for each row.
template <int Threads, class Scalar>
__global__ void __launch_bounds__(Threads)
    forward_small_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, int first, Stands stands) {
  extern __shared__ __align__(16) char memory[];
  Scalar* const b = reinterpret_cast<Scalar*>(memory);
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int rows = front.rows, own = front.columns, thread = static_cast<int>(threadIdx.x);
  Scalar* const y = vectors.y + front.first_column;
  prefetch(panels + front.panel, 0, rows * own, 1);
  begin_work(stands);
  for (int row = thread; row < rows; row += Threads) b[row] = row < own ? y[row] : Scalar(0);
  __syncthreads();
  for (int c = 0; c < front.children; ++c) {
    const ChildPlace child = at.children[front.child + c];
    const int* const place = at.place_in_parent + child.row;
    for (int row = thread; row < child.rows; row += Threads) b[place[row]] += vectors.updates[child.update + row];
    __syncthreads();
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
  begin_work(stands);
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += Threads)  // y1 and -x2
    v[row] = row < own ? vectors.y[front.first_column + row] : -vectors.own[at.rows[front.row + row]];
  __syncthreads();
  constexpr int at_once = 4, warps = Threads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (int column = warp * at_once; column < own; column += warps * at_once) {
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
