// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A front that fits in shared memory, by one thread block: assembled from A and its children, factorized, and written
// as what solves multiply with,
//
//     [ L11^-1      ]  ones and zeros included
//     [ L21 L11^-1  ]
//
// beside D and the contribution block. Children are added one after the other, so the bits repeat.
#pragma once

#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/dense_in_shared.hpp"
#include "backends/cuda/ldlt/places.hpp"

namespace terrace::cuda::ldlt {

template <class Scalar>
constexpr std::size_t bytes_of_shared_front(int rows, int columns) {
  return static_cast<std::size_t>(rows * SharedFront<Scalar>::distance(rows) + 2 * columns) * sizeof(Scalar);
}

template <int Threads, class Scalar>
__device__ void assemble_in_shared(const SharedFront<Scalar>& F, const FrontPlaces& at, const FrontPlace& front,
                                   const Scalar* contributions, const Scalar* entries) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int k = thread; k < F.rows * F.leading_dimension; k += Threads) F.data[k] = Scalar(0);
  __syncthreads();
  for (std::size_t e = front.entry + threadIdx.x; e < front.entry + front.entries; e += Threads) {
    const int target = static_cast<int>(at.entry_target[e] - front.panel);
    F(target % F.rows, target / F.rows) = entries[e];
  }
  __syncthreads();
  ChildPlace next{};
  if (front.children > 0) next = at.children[front.child];
  for (int c = 0; c < front.children; ++c) {
    const ChildPlace child = next;
    if (c + 1 < front.children) next = at.children[front.child + c + 1];  // on its way while this one is added
    const int* place = at.place_in_parent + child.row;
    const terrace::ldlt::PackedColumns packed{child.rows};
    const Scalar* from = contributions + child.contribution;
    constexpr int at_once = Threads >= 128 ? 8 : 4;  // read before one is added
    for (int first = thread; first < child.rows * child.rows; first += at_once * Threads) {
      Scalar found[at_once];
      int to[at_once];
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        const int k = first + n * Threads, i = k % child.rows, j = k / child.rows;
        to[n] = -1;
        if (j >= child.rows || i < j) continue;
        to[n] = place[i] + place[j] * F.leading_dimension;
        found[n] = from[packed(i, j)];
      }
#pragma unroll
      for (int n = 0; n < at_once; ++n)
        if (to[n] >= 0) F.data[to[n]] += found[n];
    }
    __syncthreads();
  }
}

/// Panel, D and contribution block to device memory.
template <int Threads, class Scalar>
__device__ void write_front(const SharedFront<Scalar>& F, const SharedPivots<Scalar>& D, const FrontPlace& front,
                            const FrontNumbers<Scalar>& numbers) {
  const int rows = F.rows, columns = F.columns, thread = static_cast<int>(threadIdx.x);
  Scalar* panel = numbers.panels + front.panel;
  for (int k = thread; k < rows * columns; k += Threads) {
    const int i = k % rows, j = k / rows;
    Scalar value(0);
    if (i < columns) {
      if (i >= j) value = F(i, j);
    } else {
      value = F(i, j);
#pragma unroll 4
      for (int p = j + 1; p < columns; ++p) value += F(i, p) * F(p, j);
    }
    panel[k] = value;
  }
  for (int k = thread; k < columns; k += Threads) numbers.pivots[front.first_column + k] = D.pivots[k];
  const int below = rows - columns;
  const terrace::ldlt::PackedColumns packed{below};
  Scalar* to = numbers.contributions + front.contribution;
  for (int k = thread; k < below * below; k += Threads) {
    const int i = k % below, j = k / below;
    if (i >= j) to[packed(i, j)] = F(columns + i, columns + j);
  }
}

/// Fronts from `first` on in the order of the levels, a block for each.
template <int Threads, class Scalar>
__global__ void __launch_bounds__(Threads)
    factor_small_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Scalar* entries,
                        terrace::ldlt::PivotRule<Scalar> pivots, int first, Stands stands) {
  extern __shared__ __align__(16) char memory[];
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int distance = SharedFront<Scalar>::distance(front.rows);
  const SharedFront<Scalar> F{reinterpret_cast<Scalar*>(memory), front.rows, front.columns, distance};
  Scalar* behind = F.data + front.rows * distance;
  const SharedPivots<Scalar> D{behind, behind + front.columns};
  begin_work(stands);
  assemble_in_shared<Threads>(F, at, front, numbers.contributions, entries);
  eliminate_columns<Threads>(F, D, front.first_column, pivots);
  invert_triangle<Threads>(F);
  write_front<Threads>(F, D, front, numbers);
  end_work(stands);
}

}  // namespace terrace::cuda::ldlt
