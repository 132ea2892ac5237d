// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What decides how the rows of a pattern are eliminated, found in one walk over them.
#pragma once

#include "algorithms/incomplete/row_changes.hpp"
#include "algorithms/incomplete/row_schedule.hpp"
#include "backends/cuda/arrays.hpp"
#include "backends/cuda/block_scan.hpp"
#include "backends/cuda/incomplete/tuning.hpp"
#include "backends/cuda/lanes.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/read_numbers.hpp"
#include "backends/cuda/shared_steps.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda::incomplete {

/// A row with more entries left of its diagonal is shared by lanes in the solves with L.
inline constexpr int longest_row_of_pivots = SliceTuning::entries_at_once;

/// Zero before.
struct RowClasses {
  int max_steps;  // of the longest row left of the diagonal
  int changed;    // not 0 if there may be rows that elimination changes off the diagonal
  int longest;
  int longest_that_fits;
  int longest_upper;                            // behind the diagonal
  int by_warps, by_blocks;                      // rows that are looked at later
  int longer[EliminationTuning::capacities];    // rows with more entries than EliminationTuning::capacity(k)
  unsigned long long operations;                // the products that rows look at
  unsigned long long steps, runs;               // entries left of diagonals, and runs of them with neighbouring columns
  unsigned arrived;                             // blocks that have done their part
  unsigned counters[SharedSteps::counters(2)];  // of SharedSteps
};

/// Rows that one lane would be long at: later a warp takes each, or several blocks.
struct RowsForLater {
  int *by_warps, *by_blocks;

  /// By the entries of the row, and those left of its diagonal.
  static __device__ bool includes(int length, int before) {
    return before >= EliminationTuning::long_row ||
           (before > 0 && before <= longest_row_of_pivots && length >= EliminationTuning::long_row_of_pivots);
  }
  static std::size_t most_by_warps(std::size_t entries) {
    return entries / std::min(EliminationTuning::long_row, EliminationTuning::long_row_of_pivots) + 1;
  }
  static std::size_t most_by_blocks(std::size_t entries) { return entries / EliminationTuning::very_long_row + 1; }

  __device__ void list(int row, int length, RowClasses* classes) const {
    if (length >= EliminationTuning::very_long_row) by_blocks[atomicAdd(&classes->by_blocks, 1)] = row;
    else by_warps[atomicAdd(&classes->by_warps, 1)] = row;
  }
};

/// Whether elimination may change the row off the diagonal, or some other row, as `changed` says. Whoever had to ask
/// that tells others what it finds; of those some blocks are enough.
template <class Offset>
__device__ bool is_changed(const sparse::TriangleView<int, Offset>& pattern, int row, int before,
                           volatile int* changed) {
  constexpr unsigned blocks_for_one_that_tells = 16;
  const terrace::incomplete::RowChanges<int, Offset> changes{pattern};
  if (before > longest_row_of_pivots) return changes.may_be_off_diagonal(row);
  bool has_asked = false;
  const auto is_known = [&] {
    has_asked = true;
    return *changed != 0;
  };
  if (!changes.are_off_diagonal(row, is_known)) return false;
  if (has_asked && blockIdx.x % blocks_for_one_that_tells == 0 && *changed == 0) *changed = 1;
  return true;
}

/// The lengths of a row. Whether its entries are to be looked at now.
template <class Offset>
__device__ bool classify_row(const sparse::TriangleView<int, Offset>& pattern, int row, RowClasses& found,
                             const RowsForLater& later, RowClasses* classes) {
  const Offset begin = pattern.row_map[row], diagonal = pattern.diagonal[row];
  const auto before = static_cast<int>(diagonal - begin);
  const auto length = static_cast<int>(pattern.row_map[row + 1] - begin);
  found.max_steps = max(found.max_steps, before);
  found.longest = max(found.longest, length);
  if (length <= EliminationTuning::longest_in_shared_memory)
    found.longest_that_fits = max(found.longest_that_fits, length);
  found.longest_upper = max(found.longest_upper, length - before - 1);
  found.steps += static_cast<unsigned long long>(before);
#pragma unroll
  for (int k = 0; k < EliminationTuning::capacities; ++k) found.longer[k] += length > EliminationTuning::capacity(k);
  if (RowsForLater::includes(length, before)) {
    later.list(row, length, classes);
    return false;
  }
  if (found.changed == 0 && is_changed(pattern, row, before, &classes->changed)) found.changed = 1;
  return true;
}

/// What is counted by entry.
template <class Offset>
__device__ void count_entry(const sparse::TriangleView<int, Offset>& pattern, Offset begin, Offset p,
                            RowClasses& found) {
  found.operations += static_cast<unsigned long long>(terrace::incomplete::CountOperations<int, Offset>{pattern}.of(p));
  if (p == begin || pattern.entries[p - 1] + 1 != pattern.entries[p]) ++found.runs;
}

/// By one thread; what changes nothing is left out.
__device__ inline void add_found(const RowClasses& found, RowClasses* classes) {
  const auto add = [](auto* sum, auto number) {
    if (number > 0) atomicAdd(sum, number);
  };
  const auto raise = [](int* largest, int number) {
    if (number > 0) atomicMax(largest, number);
  };
  raise(&classes->max_steps, found.max_steps);
  raise(&classes->changed, found.changed);
  raise(&classes->longest, found.longest);
  raise(&classes->longest_that_fits, found.longest_that_fits);
  raise(&classes->longest_upper, found.longest_upper);
#pragma unroll
  for (int k = 0; k < EliminationTuning::capacities; ++k) add(&classes->longer[k], found.longer[k]);
  add(&classes->operations, found.operations);
  add(&classes->steps, found.steps);
  add(&classes->runs, found.runs);
}

/// What the lanes of a warp found.
__device__ inline RowClasses over_lanes(RowClasses found) {
  for (int* largest :
       {&found.max_steps, &found.changed, &found.longest, &found.longest_that_fits, &found.longest_upper})
    *largest = __reduce_max_sync(all_lanes, *largest);
#pragma unroll
  for (int k = 0; k < EliminationTuning::capacities; ++k)
    found.longer[k] = __reduce_add_sync(all_lanes, found.longer[k]);
  for (unsigned long long* sum : {&found.operations, &found.steps, &found.runs}) *sum = sum_over_lanes<5>(*sum);
  return found;
}

/// By all threads of a block, once, which meet in shared memory: one of them alone adds to device memory.
__device__ inline void add_of_block(const RowClasses& found, RowClasses* classes) {
  __shared__ RowClasses of_block;
  if (threadIdx.x == 0) of_block = {};
  __syncthreads();
  const RowClasses of_warp = over_lanes(found);
  if (threadIdx.x % warp_size == 0) add_found(of_warp, &of_block);
  __syncthreads();
  if (threadIdx.x == 0) add_found(of_block, classes);
}

/// A lane for each row; the entries of a long one are counted by the warp.
template <class Offset>
__device__ void classify_rows(const sparse::TriangleView<int, Offset>& pattern, const RowsForLater& later,
                              RowClasses* classes, int share) {
  const unsigned lane = threadIdx.x % warp_size, threads = gridDim.x * blockDim.x;
  const auto rows = static_cast<unsigned>(pattern.rows);
  RowClasses found{};
  for (unsigned first = static_cast<unsigned>(share) * blockDim.x + threadIdx.x - lane; first < rows;
       first += threads) {
    Offset begin = 0, end = 0;
    if (const auto row = static_cast<int>(first + lane);
        first + lane < rows && classify_row(pattern, row, found, later, classes)) {
      begin = pattern.begin(row);
      end = pattern.end(row);
    }
    const bool is_long = end - begin > static_cast<Offset>(warp_size);
    for (Offset p = begin; p < end && !is_long; ++p) count_entry(pattern, begin, p, found);
    for (unsigned left = __ballot_sync(all_lanes, is_long); left != 0; left &= left - 1) {
      const int long_row = static_cast<int>(first) + __ffs(static_cast<int>(left)) - 1;
      parallel::for_entries_of_lane(pattern.begin(long_row), pattern.end(long_row), static_cast<int>(lane), warp_size,
                                    [&](Offset p) { count_entry(pattern, pattern.begin(long_row), p, found); });
    }
  }
  add_of_block(found, classes);
}

/// What one of several threads finds in a row that was listed; `is_known`: that some row is changed.
template <class Offset>
__device__ void look_at_row(const sparse::TriangleView<int, Offset>& pattern, int row, int thread, int threads,
                            bool is_known, RowClasses& found) {
  const Offset begin = pattern.row_map[row], diagonal = pattern.diagonal[row];
  const terrace::incomplete::RowChanges<int, Offset> changes{pattern};
  const int last = changes.last_off_diagonal(row);
  const bool looks_once = diagonal - begin > static_cast<Offset>(longest_row_of_pivots);
  parallel::for_entries_of_lane(begin, diagonal, thread, threads, [&](Offset p) {
    count_entry(pattern, begin, p, found);
    if (!is_known && looks_once && found.changed == 0 && changes.may_come_from(row, p, last)) found.changed = 1;
  });
  if (!is_known && !looks_once && found.changed == 0 && changes.are_off_diagonal(row, thread, threads))
    found.changed = 1;
}

struct LaterShape {
  static constexpr int threads = 256, blocks = 1024, blocks_of_row = 8, most_warps_of_row = 32;
};

/// The rows that were listed. Block number `block` of all.
template <class Offset>
__device__ void look_at_rows(const sparse::TriangleView<int, Offset>& pattern, const RowsForLater& later,
                             RowClasses* classes, int block) {
  constexpr int threads = LaterShape::threads;
  const int by_blocks = __ldcg(&classes->by_blocks), by_warps = __ldcg(&classes->by_warps);
  if (by_blocks + by_warps == 0) return;
  const bool is_known = *static_cast<const volatile int*>(&classes->changed) != 0;
  const int blocks = static_cast<int>(gridDim.x), thread = static_cast<int>(threadIdx.x);
  const int blocks_of_row = min(LaterShape::blocks_of_row, blocks), rows_at_once = blocks / blocks_of_row;
  RowClasses found{};
  for (int k = block / blocks_of_row; k < by_blocks; k += rows_at_once)
    if (block < rows_at_once * blocks_of_row)
      look_at_row(pattern, later.by_blocks[k], block % blocks_of_row * threads + thread, blocks_of_row * threads,
                  is_known, found);
  // Several warps share a row where there are fewer rows than warps.
  const int warps = blocks * threads / warp_size, warp = (block * threads + thread) / warp_size;
  const int warps_of_row = max(1, min(warps / max(by_warps, 1), LaterShape::most_warps_of_row));
  for (int k = warp / warps_of_row; k < by_warps; k += warps / warps_of_row)
    if (warp < warps / warps_of_row * warps_of_row)
      look_at_row(pattern, later.by_warps[k], warp % warps_of_row * warp_size + thread % warp_size,
                  warps_of_row * warp_size, is_known, found);
  add_of_block(found, classes);
}

template <class Offset>
__global__ void classify_rows_kernel(sparse::TriangleView<int, Offset> pattern, RowsForLater later,
                                     RowClasses* classes) {
  classify_rows(pattern, later, classes, static_cast<int>(blockIdx.x));
}
template <class Offset>
__global__ void __launch_bounds__(LaterShape::threads)
    look_at_rows_kernel(sparse::TriangleView<int, Offset> pattern, RowsForLater later, RowClasses* classes) {
  look_at_rows(pattern, later, classes, static_cast<int>(blockIdx.x));
}

/// All of it, of a small pattern; in the end the classes are where the host reads them.
template <class Offset>
__global__ void __launch_bounds__(LaterShape::threads)
    classify_rows_at_once_kernel(sparse::TriangleView<int, Offset> pattern, RowsForLater later, RowClasses* classes,
                                 RowClasses* for_host) {
  SharedSteps steps(classes->counters);
  steps.share([&](int share) { classify_rows(pattern, later, classes, share); });
  steps.share([&](int share) { look_at_rows(pattern, later, classes, share); });
  if (is_last_block(&classes->arrived) && threadIdx.x == 0) *for_host = *classes;
}

struct ClassScratch {
  static std::size_t bytes(std::size_t entries) {
    return Arrays::bytes<RowClasses>(1) + Arrays::bytes<int>(RowsForLater::most_by_warps(entries)) +
           Arrays::bytes<int>(RowsForLater::most_by_blocks(entries));
  }
  ClassScratch(Arrays& arrays, std::size_t entries)
      : classes(arrays.take<RowClasses>(1)),
        later{arrays.take<int>(RowsForLater::most_by_warps(entries)),
              arrays.take<int>(RowsForLater::most_by_blocks(entries))} {}
  RowClasses* classes;
  RowsForLater later;
};

/// Waits for the space.
template <class Offset>
RowClasses classify_rows_at_once(const Kokkos::Cuda& space, const sparse::TriangleView<int, Offset>& pattern,
                                 const ClassScratch& scratch) {
  constexpr std::size_t max_blocks = 264;  // more would wait for each other for longer than they work
  const NumbersForHost<RowClasses> for_host(scratch.classes, 1);
  set_bytes(space, scratch.classes, 0, sizeof(RowClasses));
  launch(space, "terrace::cuda::classify_rows", classify_rows_at_once_kernel<Offset>,
         std::min(blocks_of(pattern.rows, LaterShape::threads), max_blocks), LaterShape::threads, pattern,
         scratch.later, scratch.classes, for_host.to());
  RowClasses found;
  for_host.read(space, &found);
  return found;
}

/// Waits for the space.
template <class Offset>
RowClasses classify_rows_step_by_step(const Kokkos::Cuda& space, const sparse::TriangleView<int, Offset>& pattern,
                                      const ClassScratch& scratch) {
  constexpr int threads = 256, max_blocks = 1024;
  check(cudaMemsetAsync(scratch.classes, 0, sizeof(RowClasses), space.cuda_stream()), "cudaMemsetAsync");
  launch(space, "terrace::cuda::classify_rows", classify_rows_kernel<Offset>,
         std::min<std::size_t>(blocks_of(pattern.rows, threads), max_blocks), threads, pattern, scratch.later,
         scratch.classes);
  // Where none were listed, it takes less than to ask.
  launch(space, "terrace::cuda::look_at_rows", look_at_rows_kernel<Offset>, LaterShape::blocks, LaterShape::threads,
         pattern, scratch.later, scratch.classes);
  return read_numbers<1>(space, scratch.classes)[0];
}

/// Waits for the space.
template <class Offset>
RowClasses classify_rows(const Kokkos::Cuda& space, const sparse::TriangleView<int, Offset>& pattern,
                         std::size_t entries) {
  JoinedScratch memory(space, "terrace::cuda::row_classes", ClassScratch::bytes(entries));
  const ClassScratch scratch(memory, entries);
  return SmallMatrix::is(pattern.rows, entries) ? classify_rows_at_once(space, pattern, scratch)
                                                : classify_rows_step_by_step(space, pattern, scratch);
}

}  // namespace terrace::cuda::incomplete
