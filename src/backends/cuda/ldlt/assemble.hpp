// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fronts in device memory are assembled by tiles of 64 x 64, of the panel and of the contribution block: a thread block
// adds up what the children contribute to its tile, one child after the other, so that the bits repeat, and then what A
// has there. The places of a child's rows ascend, and so do those of A's entries, so what lies in the tile are ranges,
// which threads look for side by side before the level before has ended.
#pragma once

#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/tuning.hpp"

namespace terrace::cuda::ldlt {

/// How many of the ascending numbers are less than `bound`.
template <class Number, class Count>
__device__ Count count_below(const Number* numbers, Count count, Number bound) {
  Count first = 0;
  while (count > 0) {
    const Count half = count / 2;
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

/// The entries of A in each column of a tile of a panel; none in a contribution block.
class EntryRanges {
 public:
  /// For all threads of the block.
  __device__ void find(const FrontPlaces& at, const FrontPlace& front, const Tile& tile, int rows, int columns) {
    columns_ = tile.column < front.columns ? columns : 0;
    for (int k = static_cast<int>(threadIdx.x); k < 2 * columns_; k += AssembleShape::threads) {
      const auto column = static_cast<std::size_t>(tile.column + k / 2),
                 distance = static_cast<std::size_t>(front.rows);
      const std::size_t bound = front.panel + column * distance + static_cast<std::size_t>(tile.row + k % 2 * rows);
      end_[k / 2][k % 2] = front.entry + count_below(at.entry_target + front.entry, front.entries, bound);
    }
  }

  /// Calls add(row, column, entry), both counted in the tile; the threads have waited behind find.
  template <class Add>
  __device__ void for_each(const FrontPlaces& at, const FrontPlace& front, const Tile& tile, const Add& add) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int c = static_cast<int>(threadIdx.x) / 32; c < columns_; c += AssembleShape::threads / 32) {
      const std::size_t first = front.panel +
                                static_cast<std::size_t>(tile.column + c) * static_cast<std::size_t>(front.rows) +
                                static_cast<std::size_t>(tile.row);
      for (std::size_t e = end_[c][0] + static_cast<std::size_t>(lane); e < end_[c][1]; e += 32)
        add(static_cast<int>(at.entry_target[e] - first), c, e);
    }
  }

 private:
  std::size_t end_[AssembleShape::side][2];  ///< before the tile's rows, and with them
  int columns_;
};

template <class Scalar>
__global__ void __launch_bounds__(AssembleShape::threads)
    assemble_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Scalar* entries, const Tile* tiles) {
  constexpr int side = AssembleShape::side, threads = AssembleShape::threads;
  extern __shared__ __align__(16) char memory[];
  __shared__ ChildRanges<AssembleShape::batch> ranges;
  __shared__ EntryRanges entry_ranges;
  Scalar* sums = reinterpret_cast<Scalar*>(memory);
  const Tile tile = tiles[blockIdx.x];
  const FrontPlace front = at.fronts[tile.front];
  const TileStorage<Scalar> to(numbers, front, tile, side);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  for (int k = thread; k < side * side; k += threads) sums[k] = Scalar(0);
  entry_ranges.find(at, front, tile, to.rows, to.columns);
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
            const Scalar* of_column = from + packed(column, column) - column;
            to_column[c] = (place[column] - tile.column) * side;
#pragma unroll
            for (int h = 0; h < halves; ++h)
              if (is_there(c, h)) found[c][h] = of_column[row[h]];
          }
#pragma unroll
          for (int c = 0; c < at_once; ++c)
#pragma unroll
            for (int h = 0; h < halves; ++h)
              if (is_there(c, h)) sums[to_column[c] + to_row[h]] += found[c][h];
        }
      });
  entry_ranges.for_each(at, front, tile,
                        [&](int row, int column, std::size_t e) { sums[row + column * side] += entries[e]; });
  __syncthreads();
  for (int k = thread; k < side * to.columns; k += threads)
    if (k % side < to.rows) to.data[k % side + k / side * to.leading_dimension] = sums[k];
}

}  // namespace terrace::cuda::ldlt
