// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves of several right-hand sides with fronts that were factorized in shared memory. A thread block has a front and
// some groups of eight columns, which lie side by side in shared memory; a thread has a row, or an own column, and a
// group at a time: a number of L is read once for eight products. Where there are fewer of those than threads, several
// have a part of its sum each.
#pragma once

#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/solve_vectors.hpp"

namespace terrace::cuda::ldlt {

struct ColumnGroup {
  static constexpr int columns = FrontTuning::columns_of_thread;
  /// Distance of rows: their first numbers are read 16 bytes at once, and lie in different banks.
  static __host__ __device__ constexpr int distance(std::size_t scalar_bytes) {
    return columns + 16 / static_cast<int>(scalar_bytes);
  }
  static constexpr int most_parts = 8;

  /// Numbers of shared memory: of the vectors, and of sums by parts.
  static __host__ __device__ constexpr int vectors(int rows, int groups, std::size_t scalar_bytes) {
    return rows * groups * distance(scalar_bytes);
  }
  static constexpr int sums(int threads) { return threads * columns; }
};

/// The vectors of a front in shared memory.
template <class Scalar>
struct GroupedVectors {
  Scalar* data;
  int rows;

  __device__ Scalar* row(int row, int group) const {
    return data + (group * rows + row) * ColumnGroup::distance(sizeof(Scalar));
  }
  __device__ Scalar& operator()(int i, int q) const {
    return row(i, q / ColumnGroup::columns)[q % ColumnGroup::columns];
  }
};

/// sums += factor times the numbers of a row.
template <class Scalar>
__device__ void add_product(Scalar (&sums)[ColumnGroup::columns], const Scalar& factor, const Scalar* row) {
  const Scalar* const numbers = static_cast<const Scalar*>(__builtin_assume_aligned(row, 16));
#pragma unroll
  for (int q = 0; q < ColumnGroup::columns; ++q) sums[q] += factor * numbers[q];
}

/// Calls add(sums, item, part, parts), which adds its part of the sums of an item, and use(sums, item) in one thread of
/// each item. One part where there is no memory for sums. All threads call it.
template <int Threads, class Scalar, class Add, class Use>
__device__ void sum_items(Scalar* shared_sums, int items, const Add& add, const Use& use) {
  constexpr int width = ColumnGroup::columns;
  int parts = 1;
  while (shared_sums && 2 * parts <= ColumnGroup::most_parts && 2 * parts * items <= Threads) parts *= 2;
  const int together = Threads / parts, part = static_cast<int>(threadIdx.x) / together;
  for (int base = 0; base < items; base += together) {
    const int item = base + static_cast<int>(threadIdx.x) % together;
    Scalar sums[width];
    for (auto& sum : sums) sum = Scalar(0);
    if (item < items) add(sums, item, part, parts);
    if (parts > 1) {  // and so base is 0
#pragma unroll
      for (int q = 0; q < width; ++q) shared_sums[q * Threads + static_cast<int>(threadIdx.x)] = sums[q];
      __syncthreads();
      if (part > 0) return;
      for (int other = 1; other < parts; ++other)
#pragma unroll
        for (int q = 0; q < width; ++q)
          sums[q] += shared_sums[q * Threads + other * together + static_cast<int>(threadIdx.x)];
    }
    if (item < items) use(sums, item);
  }
}

/// The k-th of so many equal parts of [first, end).
struct PartOfSum {
  int begin, end;
  __device__ PartOfSum(int first, int last, int k, int parts) {
    const int each = (last - first + parts - 1) / parts;
    begin = first + k * each;
    end = min(last, begin + each);
  }
};

/// What a thread block works on: a front, some groups of right-hand sides, and its shared memory.
template <int Threads, class Scalar>
struct GroupsOfFront {
  FrontPlace front;
  SolveVectors<Scalar> vectors;
  int groups;
  GroupedVectors<Scalar> shared;
  Scalar* sums;  // null: no memory for them

  __device__ GroupsOfFront(const FrontPlaces& at, const SolveVectors<Scalar>& all, int place, int groups_at_once,
                           bool by_parts, char* memory)
      : front(at.fronts[place]),
        vectors(all.part(static_cast<int>(blockIdx.y) * groups_at_once * ColumnGroup::columns,
                         groups_at_once * ColumnGroup::columns)),
        groups((vectors.columns + ColumnGroup::columns - 1) / ColumnGroup::columns),
        shared{reinterpret_cast<Scalar*>(memory), front.rows},
        sums(by_parts ? shared.data + ColumnGroup::vectors(front.rows, groups_at_once, sizeof(Scalar)) : nullptr) {}

  /// Waits for what it needs, and fills the shared vectors: value(row, q) for each right-hand side, else zeros.
  template <class Value>
  __device__ void begin(Stands stands, const Scalar* panel, const Value& value) const {
    if (blockIdx.y == 0) prefetch(panel, 0, front.rows * front.columns, 1);
    begin_work(stands);
    for (int k = static_cast<int>(threadIdx.x); k < front.rows * groups * ColumnGroup::columns; k += Threads) {
      const int row = k % front.rows, q = k / front.rows;
      shared(row, q) = q < vectors.columns ? value(row, q) : Scalar(0);
    }
    __syncthreads();
  }
};

template <int Threads, class Scalar>
__global__ void __launch_bounds__(Threads)
    forward_small_columns_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> all, int first,
                                 int groups_at_once, bool by_parts, Stands stands) {
  constexpr int width = ColumnGroup::columns;
  extern __shared__ __align__(16) char memory[];
  const GroupsOfFront<Threads, Scalar> of_block(at, all, first + static_cast<int>(blockIdx.x), groups_at_once, by_parts,
                                                memory);
  const auto& [front, vectors, groups, b, shared_sums] = of_block;
  const int rows = front.rows, own = front.columns, columns = vectors.columns, thread = static_cast<int>(threadIdx.x);
  Scalar* const y = vectors.y + front.first_column;
  of_block.begin(stands, panels + front.panel,
                 [&](int row, int q) { return row < own ? y[row + q * vectors.y_stride] : Scalar(0); });
  for (int c = 0; c < front.children; ++c) {
    const ChildPlace child = at.children[front.child + c];
    const int* const place = at.place_in_parent + child.row;
    const Scalar* const updates = vectors.updates + child.update;
    for (int k = thread; k < child.rows * columns; k += Threads) {
      const int row = k % child.rows, q = k / child.rows;
      b(place[row], q) += updates[row + q * vectors.update_stride];
    }
    __syncthreads();
  }
  sum_items<Threads>(
      shared_sums, rows * groups,
      [&](auto& sums, int item, int part, int parts) {
        const int row = item % rows, group = item / rows;
        const PartOfSum mine(0, min(row + 1, own), part, parts);
        const Scalar* const panel = panels + front.panel + row;
#pragma unroll 8
        for (int k = mine.begin; k < mine.end; ++k) add_product(sums, panel[k * rows], b.row(k, group));
      },
      [&](const auto& sums, int item) {
        const int row = item % rows, group = item / rows;
#pragma unroll
        for (int i = 0; i < width; ++i) {
          const int q = group * width + i;
          if (q >= columns) break;
          if (row < own) y[row + q * vectors.y_stride] = vectors.result(front.first_column + row, sums[i]);
          else vectors.updates[front.update + row - own + q * vectors.update_stride] = b(row, q) - sums[i];
        }
      });
  end_work(stands);
}

template <int Threads, class Scalar>
__global__ void __launch_bounds__(Threads)
    backward_small_columns_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> all, int first,
                                  int groups_at_once, bool by_parts, Stands stands) {
  constexpr int width = ColumnGroup::columns;
  extern __shared__ __align__(16) char memory[];
  const GroupsOfFront<Threads, Scalar> of_block(at, all, first + static_cast<int>(blockIdx.x), groups_at_once, by_parts,
                                                memory);
  const auto& [front, vectors, groups, v, shared_sums] = of_block;
  const int rows = front.rows, own = front.columns, columns = vectors.columns;
  const Scalar* const panel = panels + front.panel;
  of_block.begin(stands, panel, [&](int row, int q) {
    return row < own ? vectors.y[front.first_column + row + q * vectors.y_stride]
                     : -vectors.own[at.rows[front.row + row] + q * vectors.own_stride];
  });
  sum_items<Threads>(
      shared_sums, own * groups,
      [&](auto& sums, int item, int part, int parts) {
        const int column = item % own, group = item / own;
        const PartOfSum mine(column, rows, part, parts);
        const Scalar* const of_column = panel + column * rows;
#pragma unroll 8
        for (int row = mine.begin; row < mine.end; ++row) add_product(sums, of_column[row], v.row(row, group));
      },
      [&](const auto& sums, int item) {
        const int column = item % own, group = item / own;
#pragma unroll
        for (int i = 0; i < width; ++i) {
          const int q = group * width + i;
          if (q < columns) vectors.own[front.first_column + column + q * vectors.own_stride] = sums[i];
        }
      });
  end_work(stands);
}

}  // namespace terrace::cuda::ldlt
