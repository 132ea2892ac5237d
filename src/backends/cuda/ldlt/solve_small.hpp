// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves of one right-hand side with fronts that were factorized in shared memory: a thread block for each front. What
// the pattern says and the first columns of L are on their way before what the predecessor leaves is waited for.
#pragma once

#include "backends/cuda/lanes.hpp"
#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/solve_vectors.hpp"
#include "backends/cuda/ldlt/tuning.hpp"
#include "backends/cuda/ldlt/warp_tile.hpp"

namespace terrace::cuda::ldlt {

/// How a thread block works on a front of one of the classes of SolveClasses.
template <int Class, class Scalar>
struct SmallSolveShape {
  using Classes = FrontTuning::SolveClasses;
  static constexpr int threads = Classes::threads[Class], rows = Classes::rows[Class];
  /// Forward: threads that share a row, and numbers of L that each has on their way.
  static constexpr int parts = threads / rows, held = rows < 32 ? rows / parts : 16;
  static constexpr int blocks = Classes::blocks[Class] / (sizeof(Scalar) > sizeof(double) ? 2 : 1);
  /// Backward: lanes that share a column, numbers that each has of it, and columns that those lanes have at once, a
  /// warp, and a block.
  static constexpr int lanes = rows < 32 ? rows : 32, of_column = rows / lanes, columns = held / of_column;
  static constexpr int columns_of_warp = columns * 32 / lanes, columns_of_block = threads / 32 * columns_of_warp;
  static_assert(parts * rows == threads && lanes * of_column == rows && columns * of_column == held);
};

/// Of several children the places of their rows are on their way before what they are added to may be touched, and
/// their updates before the first of them is added.
template <int Class, class Scalar>
__global__ void __launch_bounds__(SmallSolveShape<Class, Scalar>::threads, SmallSolveShape<Class, Scalar>::blocks)
    forward_small_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, int first, Stands stands) {
  using Shape = SmallSolveShape<Class, Scalar>;
  using Held = typename HeldAs<Scalar>::Type;
  constexpr int held = Shape::held, parts = Shape::parts;
  __shared__ SharedNumbers<Held, Shape::rows> shared_b;
  __shared__ SharedNumbers<Held, Shape::threads> shared_sums;
  Held *const b = shared_b.data(), *const sums = shared_sums.data();
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int rows = front.rows, own = front.columns, thread = static_cast<int>(threadIdx.x);
  const int row = thread % Shape::rows, part = thread / Shape::rows, end = row < rows ? min(row + 1, own) : 0;
  const Scalar* const panel = panels + front.panel + row;
  Scalar l[held];
  const auto ask = [&](int begin) {
#pragma unroll
    for (int h = 0; h < held; ++h) {
      const int column = begin + part * held + h;
      if (column < end) l[h] = panel[column * rows];
    }
  };
  await_what_is_given(stands);
  ask(0);
  const Scalar inverse_pivot = thread < own ? vectors.inverse_pivot(front.first_column + thread) : Scalar(1);
  constexpr int at_once = 4;
  ChildPlace child[at_once];
  int place[at_once];
  const auto ask_children = [&](int c) {
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      child[k] = c + k < front.children ? at.children[front.child + c + k] : ChildPlace{};
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      place[k] = thread < child[k].rows ? at.place_in_parent[child[k].row + thread] : -1;
  };
  ask_children(0);
  begin_work(stands);
  Scalar* const y = vectors.y + front.first_column;
  if (thread < rows) b[thread] = thread < own ? Held(y[thread]) : Held(0);
  for (int c = 0; c < front.children; c += at_once) {
    Scalar update[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (place[k] >= 0) update[k] = vectors.updates[child[k].update + thread];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (c + k < front.children) {
        __syncthreads();
        if (place[k] >= 0) b[place[k]] += Held(update[k]);
      }
    if (c + at_once < front.children) ask_children(c + at_once);
  }
  __syncthreads();
  Held sum(0);
  for (int begin = 0; begin < own; begin += held * parts) {
    if (begin > 0) ask(begin);
#pragma unroll
    for (int h = 0; h < held; ++h) {
      const int column = begin + part * held + h;
      if (column < end) sum += Held(l[h]) * b[column];
    }
  }
  sums[thread] = sum;
  __syncthreads();
  if (thread < rows) {  // the first part of a row
#pragma unroll
    for (int k = 1; k < parts; ++k) sum += sums[thread + k * Shape::rows];
    if (thread < own) y[thread] = Scalar(sum) * inverse_pivot;
    else vectors.updates[front.update + thread - own] = Scalar(b[thread] - sum);
  }
  end_work(stands);
}

/// Some lanes have some own columns at once.
template <int Class, class Scalar>
__global__ void __launch_bounds__(SmallSolveShape<Class, Scalar>::threads, SmallSolveShape<Class, Scalar>::blocks)
    backward_small_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> vectors, int first,
                          Stands stands) {
  using Shape = SmallSolveShape<Class, Scalar>;
  using Held = typename HeldAs<Scalar>::Type;
  constexpr int columns = Shape::columns, lanes = Shape::lanes;
  __shared__ SharedNumbers<Held, Shape::rows> shared_v;
  Held* const v = shared_v.data();
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int rows = front.rows, own = front.columns;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % lanes, first_of_lanes = thread / lanes * columns;
  const Scalar* const panel = panels + front.panel + lane;
  Scalar l[columns][Shape::of_column];
  const auto for_numbers = [&](int column, const auto& visit) {
#pragma unroll
    for (int k = 0; k < columns; ++k)
#pragma unroll
      for (int i = 0; i < Shape::of_column; ++i)
        if (column + k < own && lane + lanes * i < rows) visit(l[k][i], k, lanes * i);
  };
  const auto ask = [&](int column) {
    for_numbers(column, [&](Scalar& number, int k, int row) { number = panel[row + (column + k) * rows]; });
  };
  await_what_is_given(stands);
  ask(first_of_lanes);
  const int of_x = thread < own ? front.first_column + thread : thread < rows ? at.rows[front.row + thread] : 0;
  begin_work(stands);
  if (thread < rows) v[thread] = Held(thread < own ? vectors.y[of_x] : -vectors.y[of_x]);
  __syncthreads();
  for (int base = 0; base < own; base += Shape::columns_of_block) {
    const int column = base + first_of_lanes;
    if (base > 0) ask(column);
    Held sums[columns];
    for (auto& sum : sums) sum = Held(0);
    for_numbers(column, [&](const Scalar& number, int k, int row) { sums[k] += Held(number) * v[row + lane]; });
    Held sum = sum_columns_over_lanes<columns>(sums);
#pragma unroll
    for (int distance = columns; distance < lanes; distance *= 2) sum += from_lane(sum, distance);
    if (lane < columns && column + lane < own) vectors.y[front.first_column + column + lane] = Scalar(sum);
  }
  end_work(stands);
}

}  // namespace terrace::cuda::ldlt
