// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fronts in device memory are assembled by tiles of 64 x 64, of the panel and of the contribution block: a thread block
// adds up what the children contribute to its tile, one child after the other, so that the bits repeat. The places of a
// child's rows ascend, so those in the tile are ranges, which threads look for side by side. Then A's entries are added
// to the panels.
#pragma once

#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/tuning.hpp"

namespace terrace::cuda::ldlt {

/// How many of the ascending numbers are less than `bound`.
__device__ inline int count_below(const int* numbers, int count, int bound) {
  int first = 0;
  while (count > 0) {
    const int half = count / 2;
    if (numbers[first + half] < bound) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

/// What of some children lies in the rows, and in the columns, of a tile.
template <int Children>
struct ChildRanges {
  ChildPlace child[Children];
  int row[Children][2], column[Children][2];
};

/// Calls add(child, row range, column range) for each child that reaches the tile, between barriers. Where the first of
/// them lie is known before `await` is called, once; it is looked up meanwhile.
template <int Threads, int Batch, class Await, class Add>
__device__ void for_each_child(ChildRanges<Batch>& ranges, const FrontPlaces& at, const FrontPlace& front,
                               const int (&rows)[2], const int (&columns)[2], const Await& await, const Add& add) {
  const int thread = static_cast<int>(threadIdx.x);
  int first = 0;
  do {
    const int batch = min(Batch, front.children - first);
    for (int k = thread; k < 4 * batch; k += Threads) {
      const int c = k / 4, side = k % 2;
      const bool is_row = k % 4 < 2;
      const ChildPlace child = at.children[front.child + first + c];
      const int found = count_below(at.place_in_parent + child.row, child.rows, is_row ? rows[side] : columns[side]);
      (is_row ? ranges.row : ranges.column)[c][side] = found;
      if (k % 4 == 0) ranges.child[c] = child;
    }
    __syncthreads();
    if (first == 0) await();
    for (int c = 0; c < batch; ++c) {
      if (ranges.row[c][0] == ranges.row[c][1] || ranges.column[c][0] == ranges.column[c][1]) continue;
      add(ranges.child[c], ranges.row[c], ranges.column[c]);
      __syncthreads();
    }
    __syncthreads();
    first += Batch;
  } while (first < front.children);
}

struct AssembleShape {
  static constexpr int side = FrontTuning::inner, threads = 256, batch = 32;
};

template <class Scalar>
__global__ void __launch_bounds__(AssembleShape::threads)
    assemble_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Tile* tiles) {
  constexpr int side = AssembleShape::side, threads = AssembleShape::threads;
  extern __shared__ __align__(16) char memory[];
  __shared__ ChildRanges<AssembleShape::batch> ranges;
  Scalar* sums = reinterpret_cast<Scalar*>(memory);
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const TileStorage<Scalar> to(numbers, front, tile, side);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  for (int k = thread; k < side * side; k += threads) sums[k] = Scalar(0);
  const int rows[2] = {tile.row, tile.row + to.rows}, columns[2] = {tile.column, tile.column + to.columns};
  for_each_child<threads>(
      ranges, at, front, rows, columns, [] { await_and_pass_on(); },
      [&](const ChildPlace& child, const int(&i)[2], const int(&j)[2]) {
        const int* place = at.place_in_parent + child.row;
        const terrace::ldlt::PackedColumns packed{child.rows};
        const Scalar* from = numbers.panels + child.contribution;
        // Two rows of each of four columns at a time, all read before one is added.
        constexpr int warps = threads / 32, halves = side / 32, at_once = 4;
        int row[halves], to_row[halves];
#pragma unroll
        for (int h = 0; h < halves; ++h) {
          row[h] = i[0] + lane + 32 * h;
          to_row[h] = row[h] < i[1] ? place[row[h]] - tile.row : 0;
        }
        for (int first = j[0] + warp; first < j[1]; first += warps * at_once) {
          Scalar found[at_once][halves];
          int to_column[at_once];
          const auto is_there = [&](int c, int h) {
            const int column = first + c * warps;
            return column < j[1] && row[h] < i[1] && row[h] >= column;
          };
#pragma unroll
          for (int c = 0; c < at_once; ++c) {
            const int column = min(first + c * warps, j[1] - 1);
            const Scalar* entries = from + packed(column, column) - column;
            to_column[c] = (place[column] - tile.column) * side;
#pragma unroll
            for (int h = 0; h < halves; ++h)
              if (is_there(c, h)) found[c][h] = entries[row[h]];
          }
#pragma unroll
          for (int c = 0; c < at_once; ++c)
#pragma unroll
            for (int h = 0; h < halves; ++h)
              if (is_there(c, h)) sums[to_column[c] + to_row[h]] += found[c][h];
        }
      });
  __syncthreads();
  for (int k = thread; k < side * to.columns; k += threads)
    if (k % side < to.rows) to.data[k % side + k / side * to.leading_dimension] = sums[k];
}

/// Tile::row: the first entry of A for the thread block, counted in the front.
struct EntriesShape {
  static constexpr int threads = 256, entries = 1024;
};

template <class Scalar>
__global__ void __launch_bounds__(EntriesShape::threads)
    add_entries_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Scalar* entries, const Tile* tiles) {
  constexpr int each = EntriesShape::entries / EntriesShape::threads;
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const std::size_t first = front.entry + static_cast<std::size_t>(tile.row) * EntriesShape::entries + threadIdx.x;
  const std::size_t end = front.entry + front.entries;
  await_what_is_given(Stands::Behind);
  Scalar* to[each];
  Scalar value[each];
#pragma unroll
  for (int n = 0; n < each; ++n) {
    const std::size_t e = first + n * EntriesShape::threads;
    to[n] = e < end ? numbers.panels + at.entry_target[e] : nullptr;
    if (to[n]) value[n] = entries[e];
  }
  await_and_pass_on();
#pragma unroll
  for (int n = 0; n < each; ++n)
    if (to[n]) *to[n] += value[n];
}

}  // namespace terrace::cuda::ldlt
