// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves with fronts that were factorized in shared memory: a thread block for each front and for so many columns of
// right-hand sides, which lie side by side in shared memory.
#pragma once

#include "backends/cuda/lanes.hpp"
#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/solve_vectors.hpp"

namespace terrace::cuda::ldlt {

template <int Threads, int Columns, class Scalar>
__global__ void __launch_bounds__(Threads)
    forward_small_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, int first) {
  extern __shared__ __align__(16) char memory[];
  Scalar* b = reinterpret_cast<Scalar*>(memory);
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int begin = static_cast<int>(blockIdx.y) * Columns, columns = min(Columns, vectors.columns - begin);
  const int rows = front.rows, own = front.columns, thread = static_cast<int>(threadIdx.x);
  Scalar* y = vectors.y + front.first_column + begin * vectors.y_stride;
  Scalar* updates = vectors.updates + begin * vectors.update_stride;
  prefetch(panels + front.panel, 0, rows * own, 1);
  await_and_pass_on();
  for (int row = thread; row < rows; row += Threads)
    for (int q = 0; q < Columns; ++q)
      b[row * Columns + q] = row < own && q < columns ? y[row + q * vectors.y_stride] : Scalar(0);
  __syncthreads();
  for (int c = 0; c < front.children; ++c) {
    const ChildPlace child = at.children[front.child + c];
    const int* place = at.place_in_parent + child.row;
    for (int k = thread; k < child.rows * columns; k += Threads) {
      const int row = k % child.rows, q = k / child.rows;
      b[place[row] * Columns + q] += updates[child.update + row + q * vectors.update_stride];
    }
    __syncthreads();
  }
  for (int row = thread; row < rows; row += Threads) {
    const Scalar* panel = panels + front.panel + row;
    const int end = min(row + 1, own);
    Scalar sums[Columns];
    for (auto& sum : sums) sum = Scalar(0);
#pragma unroll 8
    for (int k = 0; k < end; ++k) {
      const Scalar factor = panel[k * rows];
#pragma unroll
      for (int q = 0; q < Columns; ++q) sums[q] += factor * b[k * Columns + q];
    }
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (q >= columns) break;
      if (row < own) y[row + q * vectors.y_stride] = sums[q];
      else updates[front.update + row - own + q * vectors.update_stride] = b[row * Columns + q] - sums[q];
    }
  }
}

/// y1 and -x2.
template <int Threads, int Columns, class Scalar>
__device__ void gather_backward(Scalar* v, const FrontPlaces& at, const FrontPlace& front,
                                const SolveVectors<Scalar>& vectors, int begin, int columns) {
  const int own = front.columns;
  for (int row = static_cast<int>(threadIdx.x); row < front.rows; row += Threads)
    for (int q = 0; q < Columns; ++q) {
      Scalar value(0);
      if (q < columns)
        value = row < own ? vectors.y[front.first_column + row + (begin + q) * vectors.y_stride]
                          : -vectors.own[at.rows[front.row + row] + (begin + q) * vectors.own_stride];
      v[row * Columns + q] = value;
    }
}

/// One right-hand side: a warp for each own column.
template <int Threads, class Scalar>
__global__ void __launch_bounds__(Threads)
    backward_small_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, int first) {
  extern __shared__ __align__(16) char memory[];
  Scalar* v = reinterpret_cast<Scalar*>(memory);
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int begin = static_cast<int>(blockIdx.y), rows = front.rows, own = front.columns;
  prefetch(panels + front.panel, 0, rows * own, 1);
  await_and_pass_on();
  gather_backward<Threads, 1>(v, at, front, vectors, begin, 1);
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
      if (lane == 0 && column + k < own)
        vectors.own[front.first_column + column + k + begin * vectors.own_stride] = sum;
    }
  }
}

/// Several: a thread for each own column and right-hand side; the panel comes to shared memory by 32 rows.
template <int Threads, int Columns, class Scalar>
__global__ void __launch_bounds__(Threads)
    backward_small_columns_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, int first) {
  constexpr int slice = 32, distance = slice + 1, most = 8;
  extern __shared__ __align__(16) char memory[];
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int begin = static_cast<int>(blockIdx.y) * Columns, columns = min(Columns, vectors.columns - begin);
  const int rows = front.rows, own = front.columns, thread = static_cast<int>(threadIdx.x);
  Scalar* v = reinterpret_cast<Scalar*>(memory);
  Scalar* part = v + rows * Columns;
  prefetch(panels + front.panel, 0, rows * own, 1);
  await_and_pass_on();
  gather_backward<Threads, Columns>(v, at, front, vectors, begin, columns);
  Scalar sums[most];
  for (auto& sum : sums) sum = Scalar(0);
  for (int top = 0; top < rows; top += slice) {
    const int count = min(slice, rows - top);
    __syncthreads();
    for (int k = thread; k < slice * own; k += Threads)
      part[k % slice + k / slice * distance] =
          k % slice < count ? panels[front.panel + top + k % slice + k / slice * rows] : Scalar(0);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < most; ++s) {
      const int k = thread + s * Threads, column = k / Columns, q = k % Columns;
      if (column >= own) break;
      for (int row = max(0, column - top); row < count; ++row)
        sums[s] += part[row + column * distance] * v[(top + row) * Columns + q];
    }
  }
#pragma unroll
  for (int s = 0; s < most; ++s) {
    const int k = thread + s * Threads, column = k / Columns, q = k % Columns;
    if (column < own && q < columns)
      vectors.own[front.first_column + column + (begin + q) * vectors.own_stride] = sums[s];
  }
}

}  // namespace terrace::cuda::ldlt
