// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The level of every row in one kernel: 1 + the largest level among the rows it needs, and 0 for those that need none.
//
// Synchronization-free substitution with max in place of multiply-add, over tasks of chained rows (walk_tasks.hpp): a
// level that is not yet known is -1, and who needs it looks again. It needs neither the transposed pattern nor
// in-degrees nor a kernel per level. O(entries) work.
#pragma once

#include "backends/cuda/analysis/row_pieces.hpp"
#include "backends/cuda/launch.hpp"

namespace terrace::cuda {

/// Levels that pass through L2.
struct LevelsInL2 {
  int* level;

  __device__ void look(bool wanted, int row, int& found) const { watch_if(wanted, level + row, found); }
  __device__ void set(int row, int found) const { publish(level + row, found); }
};

/// Levels that pass through the shared memory of one block, at this address of it.
struct LevelsInBlock {
  unsigned cells;
  int* level;

  __device__ void look(bool wanted, int row, int& found) const {
    if (wanted) look_shared(cells + static_cast<unsigned>(row) * static_cast<unsigned>(sizeof(int)), found);
  }
  __device__ void set(int row, int found) const {
    publish_shared(cells + static_cast<unsigned>(row) * static_cast<unsigned>(sizeof(int)), found);
    level[row] = found;
  }
};

/// The levels of one lane's rows.
template <class Offset, class Levels>
class LevelRows {
  static constexpr int at_once = 4;

 public:
  using Partial = int;  // the deepest level of some needed rows
  struct Row : WalkedRow<Offset> {
    int deepest = -1;
    int needed[at_once] = {-1, -1, -1, -1};
  };

  __device__ LevelRows(const int* entries, const Levels& levels) : entries_(entries), levels_(levels) {}

  __device__ void fetch(Row& to, int lanes) const {
    to.deepest = -1;
    fetch_entries(to, lanes);
  }
  __device__ void fetch_piece(Row& to, int lanes) const { fetch(to, lanes); }

  /// Entries whose levels are known are marked as needed no more.
  __device__ void look(Row& now, int lanes) const {
    int found[at_once];
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      found[w] = now.needed[w] == newest_row_ ? newest_level_ : -1;
      levels_.look(now.needed[w] >= 0 && found[w] < 0, now.needed[w], found[w]);
    }
    bool waits = false;
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      now.deepest = max(now.deepest, found[w]);
      if (found[w] >= 0) now.needed[w] = -1;
      waits = waits || now.needed[w] >= 0;
    }
    if (waits) return;
    now.next += static_cast<Offset>(at_once * lanes);
    fetch_entries(now, lanes);
  }

  __device__ static int none() { return -1; }
  __device__ static int of(const Row& row) { return row.deepest; }
  __device__ static int both(int first, int second) { return max(first, second); }
  __device__ static int over_lanes(int deepest, int log2_lanes) {
    for (int distance = 1 << log2_lanes >> 1; distance > 0; distance /= 2)
      deepest = max(deepest, __shfl_xor_sync(all_lanes, deepest, distance));
    return deepest;
  }

  __device__ void finish(Row& now, int log2_lanes, bool is_done) {
    const int deepest = over_lanes(now.deepest, log2_lanes);
    if (!is_done) return;
    newest_row_ = now.row;
    newest_level_ = deepest + 1;
    levels_.set(now.row, newest_level_);
  }
  __device__ void finish_long(const Row& row, int deepest) const { levels_.set(row.row, deepest + 1); }

 private:
  __device__ void fetch_entries(Row& to, int lanes) const {
    to.is_open = to.next < to.end;
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      const Offset k = to.next + static_cast<Offset>(w * lanes);
      to.needed[w] = k < to.end ? entries_[k] : -1;
    }
  }

  const int* entries_;
  Levels levels_;
  int newest_row_ = -1, newest_level_ = -1;
};

template <class Offset, bool HasPieces>
__global__ void __launch_bounds__(threads_of_walk(HasPieces))
    find_row_levels_kernel(ChainedTasks<Offset> tasks, int* level, TaskCounters<int> counters) {
  LevelRows<Offset, LevelsInL2> rows(tasks.rows.entries, {level});
  walk_tasks_and_pieces<HasPieces>(tasks, counters, rows);
}

/// By one block, whose shared memory has room for all levels: the way from one level to the next is a third as long as
/// through L2.
template <class Offset>
__global__ void __launch_bounds__(TaskTuning::block_alone)
    find_row_levels_alone_kernel(ChainedTasks<Offset> tasks, int* level) {
  extern __shared__ int levels_in_block[];
  __shared__ unsigned claimed;
  for (int row = static_cast<int>(threadIdx.x); row < tasks.rows.lines; row += TaskTuning::block_alone)
    levels_in_block[row] = -1;
  if (threadIdx.x == 0) claimed = 0;
  __syncthreads();
  using Rows = LevelRows<Offset, LevelsInBlock>;
  Rows rows(tasks.rows.entries, {static_cast<unsigned>(__cvta_generic_to_shared(levels_in_block)), level});
  TaskWalk<Offset, Rows, false>(tasks, &claimed, rows).walk();
}

/// Deep triangles of few rows gain; wide ones lose little.
template <class Offset>
bool suits_one_block(const ChainedTasks<Offset>& tasks) {
  return tasks.piece_count == 0 && tasks.rows.lines <= TaskTuning::most_rows_alone &&
         tasks.entries <= TaskTuning::most_entries_alone;
}

template <class Offset>
void find_row_levels_alone(const Kokkos::Cuda& space, const ChainedTasks<Offset>& tasks, int* level) {
  const auto kernel = find_row_levels_alone_kernel<Offset>;
  constexpr int most_bytes = TaskTuning::most_rows_alone * static_cast<int>(sizeof(int));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes));
  launch_with_memory(space, "terrace::cuda::find_row_levels_alone", kernel, 1, TaskTuning::block_alone,
                     static_cast<std::size_t>(tasks.rows.lines) * sizeof(int), tasks, level);
}

/// Enqueues the search. `level` has one number per row.
template <class Offset>
void find_row_levels(const Kokkos::Cuda& space, const ChainedTasks<Offset>& tasks, int* level,
                     const TaskCounters<int>& counters) {
  check(cudaMemsetAsync(level, 0xff, static_cast<std::size_t>(tasks.rows.lines) * sizeof(int), space.cuda_stream()));
  counters.reset(space, tasks.piece_count);
  const bool has_pieces = tasks.piece_count > 0;
  launch(space, "terrace::cuda::find_row_levels",
         has_pieces ? find_row_levels_kernel<Offset, true> : find_row_levels_kernel<Offset, false>, tasks.blocks(),
         threads_of_walk(has_pieces), tasks, level, counters);
}

/// Enqueues the search for the level of each row. `arrays` has memory for it, which is free for others afterwards.
/// Waits for the number of pieces where there may be long rows.
template <class Offset>
void find_levels(const Kokkos::Cuda& space, const analysis::Lines<int, Offset, Kokkos::Cuda>& lines, bool backward,
                 Arrays& arrays, int* level) {
  auto tasks = list_tasks(space, lines.pattern(), backward, lines.entries.extent(0), TaskScratch(arrays, lines.count));
  if (lines.may_have_long_lines) count_tasks(space, tasks);
  if (suits_one_block(tasks)) return find_row_levels_alone(space, tasks, level);
  const int pieces = tasks.piece_count;
  Arrays memory(space, "terrace::cuda::find_levels::pieces",
                Arrays::bytes<RowPiece>(static_cast<std::size_t>(pieces)) + TaskCounters<int>::bytes(pieces));
  list_pieces(space, tasks, memory.take<RowPiece>(static_cast<std::size_t>(pieces)));
  find_row_levels(space, tasks, level, TaskCounters<int>(memory, pieces));
  memory.free_on(space);
}

}  // namespace terrace::cuda
