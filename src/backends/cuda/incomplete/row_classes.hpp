// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What decides how the rows of a pattern are eliminated, found in one walk over them.
#pragma once

#include "algorithms/incomplete/merged_pattern.hpp"
#include "backends/cuda/incomplete/tuning.hpp"
#include "backends/cuda/lanes.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/read_numbers.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

/// A row with more entries left of its diagonal is shared by lanes in the solves with L.
inline constexpr int longest_row_of_pivots = SliceTuning::entries_at_once;

/// Zero before.
struct RowClasses {
  int max_steps;  // of the longest row left of the diagonal
  int changed;    // not 0 if there may be rows that elimination changes off the diagonal
  int longest;
  int longest_that_fits;
  int longest_upper;                          // behind the diagonal
  int very_long;                              // rows whose entries are counted by several blocks
  int longer[EliminationTuning::capacities];  // rows with more entries than EliminationTuning::capacity(k)
  unsigned long long operations;              // the products that rows look at
  unsigned long long steps, runs;             // entries left of diagonals, and runs of them with neighbouring columns
};

/// One row, all but what is counted by entry.
template <class Offset>
__device__ void classify_row(const sparse::TriangleView<int, Offset>& pattern, int row, RowClasses& found) {
  const Offset begin = pattern.row_map[row], diagonal = pattern.diagonal[row];
  const auto before = static_cast<int>(diagonal - begin);
  const auto length = static_cast<int>(pattern.row_map[row + 1] - begin);
  found.max_steps = max(found.max_steps, before);
  found.longest = max(found.longest, length);
  if (length <= EliminationTuning::longest_in_shared_memory)
    found.longest_that_fits = max(found.longest_that_fits, length);
  found.longest_upper = max(found.longest_upper, length - before - 1);
#pragma unroll
  for (int k = 0; k < EliminationTuning::capacities; ++k) found.longer[k] += length > EliminationTuning::capacity(k);
  const incomplete::RowChanges<int, Offset> changes{pattern};
  if (before <= longest_row_of_pivots ? changes.are_off_diagonal(row)
                                      : found.changed == 0 && changes.may_be_off_diagonal(row))
    ++found.changed;
}

/// What is counted by entry.
template <class Offset>
__device__ void count_entry(const sparse::TriangleView<int, Offset>& pattern, Offset begin, Offset p,
                            RowClasses& found) {
  found.operations += static_cast<unsigned long long>(incomplete::CountOperations<int, Offset>{pattern}.of(p));
  if (p == begin || pattern.entries[p - 1] + 1 != pattern.entries[p]) ++found.runs;
}

/// By all lanes of a warp.
__device__ inline void add_counts(RowClasses& found, RowClasses* classes) {
  found.operations = sum_over_lanes<5>(found.operations);
  found.runs = sum_over_lanes<5>(found.runs);
  if (threadIdx.x % warp_size != 0) return;
  atomicAdd(&classes->operations, found.operations);
  atomicAdd(&classes->runs, found.runs);
}

/// A lane for each row; the entries of a long one are counted by the warp, and those of a very long one later: it is
/// listed. Each warp adds what it found.
template <class Offset>
__global__ void classify_rows_kernel(sparse::TriangleView<int, Offset> pattern, RowClasses* classes, int* very_long) {
  const unsigned lane = threadIdx.x % warp_size, threads = gridDim.x * blockDim.x;
  const auto rows = static_cast<unsigned>(pattern.rows);
  RowClasses found{};
  for (unsigned first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < rows; first += threads) {
    Offset begin = 0, end = 0;
    if (first + lane < rows) {
      const auto row = static_cast<int>(first + lane);
      classify_row(pattern, row, found);
      begin = pattern.begin(row);
      end = pattern.end(row);
      found.steps += static_cast<unsigned long long>(end - begin);
      if (end - begin >= static_cast<Offset>(EliminationTuning::very_long_row)) {
        very_long[atomicAdd(&classes->very_long, 1)] = row;
        end = begin;
      }
    }
    const bool is_long = end - begin > static_cast<Offset>(warp_size);
    for (Offset p = begin; p < end && !is_long; ++p) count_entry(pattern, begin, p, found);
    for (unsigned left = __ballot_sync(all_lanes, is_long); left != 0; left &= left - 1) {
      const int long_row = static_cast<int>(first) + __ffs(static_cast<int>(left)) - 1;
      parallel::for_entries_of_lane(pattern.begin(long_row), pattern.end(long_row), static_cast<int>(lane), warp_size,
                                    [&](Offset p) { count_entry(pattern, pattern.begin(long_row), p, found); });
    }
  }
  const auto keep_largest = [lane](int* largest, int number) {
    number = __reduce_max_sync(all_lanes, number);
    if (lane == 0) atomicMax(largest, number);
  };
  keep_largest(&classes->max_steps, found.max_steps);
  keep_largest(&classes->longest, found.longest);
  keep_largest(&classes->longest_that_fits, found.longest_that_fits);
  keep_largest(&classes->longest_upper, found.longest_upper);
  const auto add = [lane](int* sum, int number) {
    number = __reduce_add_sync(all_lanes, number);
    if (lane == 0 && number > 0) atomicAdd(sum, number);
  };
  add(&classes->changed, found.changed);
#pragma unroll
  for (int k = 0; k < EliminationTuning::capacities; ++k) add(&classes->longer[k], found.longer[k]);
  found.steps = sum_over_lanes<5>(found.steps);
  add_counts(found, classes);
  if (lane != 0) return;
  atomicAdd(&classes->steps, found.steps);
}

/// Some blocks for each very long row: block (x, y) of (width, height) takes the x-th part of rows y, y + height, ...
template <class Offset>
__global__ void count_very_long_rows_kernel(sparse::TriangleView<int, Offset> pattern, const int* very_long, int count,
                                            RowClasses* classes) {
  RowClasses found{};
  for (int number = static_cast<int>(blockIdx.y); number < count; number += static_cast<int>(gridDim.y)) {
    const Offset begin = pattern.begin(very_long[number]), end = pattern.end(very_long[number]);
    parallel::for_entries_of_lane(begin, end, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
                                  static_cast<int>(gridDim.x * blockDim.x),
                                  [&](Offset p) { count_entry(pattern, begin, p, found); });
  }
  add_counts(found, classes);
}

/// Waits for the space.
template <class Offset>
RowClasses classify_rows(const Kokkos::Cuda& space, const sparse::TriangleView<int, Offset>& pattern,
                         std::size_t entries) {
  constexpr int threads = 256, max_blocks = 1024, blocks_of_row = 8;
  const std::size_t max_very_long = entries / EliminationTuning::very_long_row + 1;
  JoinedScratch memory(space, "terrace::cuda::row_classes",
                       Arrays::bytes<RowClasses>(1) + Arrays::bytes<int>(max_very_long));
  auto* classes = memory.take<RowClasses>(1);
  auto* very_long = memory.take<int>(max_very_long);
  check(cudaMemsetAsync(classes, 0, sizeof(RowClasses), space.cuda_stream()), "cudaMemsetAsync");
  launch(space, "terrace::cuda::classify_rows", classify_rows_kernel<Offset>,
         std::min<std::size_t>(blocks_of(pattern.rows, threads), max_blocks), threads, pattern, classes, very_long);
  RowClasses found = read_numbers<1>(space, classes)[0];
  if (found.very_long > 0) {
    launch_grid(space, "terrace::cuda::count_very_long_rows", count_very_long_rows_kernel<Offset>,
                dim3(blocks_of_row, static_cast<unsigned>(std::min(found.very_long, max_blocks))), dim3(threads),
                pattern, very_long, found.very_long, classes);
    found = read_numbers<1>(space, classes)[0];
  }
  return found;
}

}  // namespace terrace::cuda
