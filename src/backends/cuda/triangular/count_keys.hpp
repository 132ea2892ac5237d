// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in the order of their keys by counting, where there are few keys: three kernels from rows to slices. A radix
// sort, and the kernels that look through what it has sorted, are a dozen, and of a small triangle each takes longer to
// launch than to run.
//
// A warp has a run of neighbouring places of the solution order, and counts its rows of each key. The block that ends
// last adds up the counts, key by key and run by run. Then each warp knows where its rows go, those of a key in the
// order in which they came (Knuth, The Art of Computer Programming 3, section 5.2, algorithm D).
#pragma once

#include <algorithm>
#include <bit>

#include "backends/cuda/block_scan.hpp"
#include "backends/cuda/triangular/shape_slices.hpp"

namespace terrace::cuda::triangular {

/// Runs of places, none of which lies in two row blocks, and their counts: of each key that occurs, run by run.
struct Runs {
  int rows = 0;
  int rows_per_row_block = 0;
  int places = 0;         // of a run, but for the last of a row block
  int per_row_block = 0;  // runs
  int count = 0;          // of all row blocks; 0 where rows are not counted
  int levels = 0;
  unsigned kinds = 0;  // that keys have, bit by bit
  int kinds_per_level = 0;

  /// None where there would be too many counts, or slices, for one block to add up.
  static Runs of(int rows, const RowBlocks& row_blocks, int levels, unsigned kinds, int most_slices) {
    Runs runs;
    runs.rows = rows;
    runs.rows_per_row_block = row_blocks.count == 1 ? rows : row_blocks.rows_per_row_block;
    runs.levels = levels;
    runs.kinds = kinds;
    runs.kinds_per_level = std::popcount(kinds);
    const std::int64_t keys = std::int64_t(levels) * row_blocks.count * classes_per_level;
    if (std::max<std::int64_t>(most_slices, keys) > CountTuning::most_counts) return runs;
    for (runs.places = CountTuning::fewest_places; runs.places <= CountTuning::most_places; runs.places *= 2) {
      runs.per_row_block = parallel::divide_up(runs.rows_per_row_block, runs.places);
      runs.count = row_blocks.count * runs.per_row_block;
      if (runs.counts() <= CountTuning::most_counts) return runs;
    }
    runs.count = 0;
    return runs;
  }

  KOKKOS_FUNCTION std::int64_t counts() const { return std::int64_t(levels) * kinds_per_level * count; }

  KOKKOS_FUNCTION int first_place(int run) const {
    return run / per_row_block * rows_per_row_block + run % per_row_block * places;
  }
  KOKKOS_FUNCTION int end_place(int run) const {
    const int end_of_row_block = Kokkos::min((run / per_row_block + 1) * rows_per_row_block, rows);
    return Kokkos::min(first_place(run) + places, end_of_row_block);
  }

  /// The first count of a key of all row blocks; of one that does not occur that of the next one that does.
  __device__ int first_count(int key) const {
    const unsigned before = kinds & ((1u << key % classes_per_level) - 1u);
    return (key / classes_per_level * kinds_per_level + __popc(before)) * per_row_block;
  }
  __device__ int count_of(int run, int key_of_row_block) const {
    const int keys = levels * classes_per_level;
    return first_count(run / per_row_block * keys + key_of_row_block) + run % per_row_block;
  }
};

/// Rows alone, no pieces.
template <class Offset>
struct CountKeys {
  SortKeys<Offset> keys;
  Runs runs;
  unsigned* counts;    // of each key and run, zero before; then where its first row goes
  CountSlices slices;  // of each key
  unsigned* arrived;
};

/// Calls body(count of the run and the key, row, the lanes that have the same key) for each place of the run, by all
/// lanes together; rows behind the end are -1. What several places need is asked for at once.
template <class Offset, class Body>
__device__ void for_keys_of_run(const CountKeys<Offset>& count, int run, const Body& body) {
  constexpr int at_once = 4;
  static_assert(CountTuning::fewest_places % (at_once * warp_size) == 0);
  const int lane = static_cast<int>(threadIdx.x) % warp_size, end = count.runs.end_place(run);
  for (int first = count.runs.first_place(run); first < end; first += at_once * warp_size) {
    int row[at_once], at[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int place = first + k * warp_size + lane;
      row[k] = place < end ? count.keys.item_at(place) : -1;
      at[k] = row[k] < 0 ? -1 : count.runs.count_of(run, static_cast<int>(count.keys.key_of_level(row[k])));
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) body(at[k], row[k], __match_any_sync(all_lanes, at[k]));
  }
}

/// Counts become where the first row of each key and run goes.
struct PlaceCounts {
  unsigned* counts;

  __device__ void operator()(int at, int& sum, bool final) const {
    const auto own = static_cast<int>(counts[at]);
    if (final) counts[at] = static_cast<unsigned>(sum);
    sum += own;
  }
};

/// As CountSlices, which looks for where keys begin among the groups.
struct CountSlicesOfRuns {
  CountSlices slices;
  const unsigned* counts;
  Runs runs;

  __device__ void operator()(int key, int& sum, bool final) const {
    const int first = first_position(key);
    if (final) slices.keep(key, {first, sum});
    if (key < slices.key_count) sum += slices_of(key, first_position(key + 1) - first);
  }
  __device__ int first_position(int key) const {
    const int at = runs.first_count(key);
    return at < runs.counts() ? static_cast<int>(counts[at]) : runs.rows;
  }
};

template <class Offset>
__global__ void __launch_bounds__(CountTuning::block) count_keys_kernel(CountKeys<Offset> count) {
  const Runs& runs = count.runs;
  const int lane = static_cast<int>(threadIdx.x) % warp_size, run = static_cast<int>(number_of_warp());
  if (run < runs.count)
    for_keys_of_run(count, run, [&](int at, int row, unsigned same) {
      if (row >= 0 && lane == __ffs(static_cast<int>(same)) - 1)
        atomicAdd(count.counts + at, static_cast<unsigned>(__popc(same)));
    });
  if (!is_last_block(count.arrived)) return;
  scan_by_block<CountTuning::block, int>(static_cast<int>(runs.counts()), PlaceCounts{count.counts});
  scan_by_block<CountTuning::block, int>(count.slices.key_count + 1,
                                         CountSlicesOfRuns{count.slices, count.counts, runs});
}

/// Nobody else reads or writes the counts of a warp's run.
template <class Offset>
__global__ void __launch_bounds__(CountTuning::block)
    place_rows_kernel(CountKeys<Offset> count, int* item_at, int* position) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size, run = static_cast<int>(number_of_warp());
  if (run >= count.runs.count) return;
  for_keys_of_run(count, run, [&](int at, int row, unsigned same) {
    const int first_lane = __ffs(static_cast<int>(same)) - 1;
    unsigned first = 0;
    if (row >= 0 && lane == first_lane) {
      first = count.counts[at];
      count.counts[at] = first + static_cast<unsigned>(__popc(same));
    }
    first = __shfl_sync(all_lanes, first, first_lane);
    __syncwarp();  // the next places find what is written here
    if (row < 0) return;
    const auto place = static_cast<int>(first) + __popc(same & ((1u << lane) - 1u));
    item_at[place] = row;
    position[row] = place;
  });
}

/// Slices, their places, and row blocks where there are several, which the host is told too.
template <class Offset>
__global__ void __launch_bounds__(CountTuning::block)
    shape_and_place_slices_kernel(ShapeSlices<Offset> shape, PlaceSlices place, FindRowBlocks row_blocks,
                                  RowBlock* for_host, unsigned* arrived) {
  shape_slice(shape);
  if (!is_last_block(arrived)) return;
  scan_by_block<CountTuning::block, std::int64_t>(*place.slice_count, place);
  if (!row_blocks.row_blocks) return;
  for (int k = static_cast<int>(threadIdx.x); k < row_blocks.count; k += static_cast<int>(blockDim.x))
    row_blocks.row_blocks[k] = for_host[k] = row_blocks.of(k);
}

}  // namespace terrace::cuda::triangular
