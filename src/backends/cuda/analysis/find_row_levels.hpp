// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The level of every row in one kernel: 1 + the largest level among the rows it needs, and 0 for those that need none.
//
// Synchronization-free substitution with max in place of multiply-add, over tasks of consecutive rows (walk_tasks.hpp):
// a level that is not yet known is -1, and who needs it looks again. It needs neither the transposed pattern nor
// in-degrees nor a kernel per level. O(entries) work.
//
// The tasks of a small triangle are listed by the same kernel.
//
// Where nearly all rows need the one before them, as in a path or a narrow band, warps take windows of rows instead
// (level_windows.hpp).
#pragma once

#include "backends/cuda/analysis/level_windows.hpp"
#include "backends/cuda/analysis/list_tasks_at_once.hpp"
#include "backends/cuda/analysis/row_pieces.hpp"
#include "backends/cuda/launch.hpp"

namespace terrace::cuda {

/// The levels of one lane's rows.
template <class Offset>
class LevelRows {
  static constexpr int at_once = 4;

 public:
  using Partial = int;  // the deepest level of some needed rows
  struct Row : WalkedRow<Offset> {
    int deepest = -1;
    int needed[at_once] = {-1, -1, -1, -1};
  };

  __device__ LevelRows(const int* entries, int* level) : entries_(entries), level_(level) {}

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
      watch_if(now.needed[w] >= 0 && found[w] < 0, level_ + now.needed[w], found[w]);
    }
    bool waits = false;
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      now.deepest = max(now.deepest, found[w]);
      if (found[w] >= 0) now.needed[w] = -1;
      waits = waits || now.needed[w] >= 0;
    }
    if (waits) return;
    now.entries.advance(at_once * lanes);
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
    publish(level_ + now.row, newest_level_);
  }
  __device__ void finish_long(const Row& row, int deepest) const { publish(level_ + row.row, deepest + 1); }

 private:
  __device__ void fetch_entries(Row& to, int lanes) const {
    to.is_open = to.entries.any();
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      to.needed[w] = to.entries.has(w * lanes) ? entries_[to.entries.place(w * lanes)] : -1;
    }
  }

  const int* entries_;
  int* level_;
  int newest_row_ = -1, newest_level_ = -1;
};

template <bool HasPieces, class Offset>
__device__ void find_levels_of_tasks(const RowTasks<Offset>& tasks, int* level, const TaskCounters<int>& counters) {
  const bool is_of_tasks = !HasPieces || threadIdx.x < TaskTuning::block;
  if (is_of_tasks && LevelWindows<Offset, HasPieces>::pays(tasks))
    return LevelWindows<Offset, HasPieces>(tasks, level).walk(counters.claimed);
  LevelRows<Offset> rows(tasks.pattern.entries, level);
  walk_tasks_and_pieces<HasPieces>(tasks, counters, rows);
}

template <class Offset, bool HasPieces>
__global__ void __launch_bounds__(threads_of_walk(HasPieces))
    find_row_levels_kernel(RowTasks<Offset> tasks, int* level, TaskCounters<int> counters) {
  if (static_cast<int>(blockIdx.x) < tasks.blocks_for(__ldcg(tasks.begins) - 1))
    find_levels_of_tasks<HasPieces>(tasks, level, counters);
}

template <class Offset, bool HasPieces>
__global__ void __launch_bounds__(threads_of_walk(HasPieces))
    list_tasks_and_find_row_levels_kernel(const __grid_constant__ ListTasks<Offset> list, int* partial) {
  if (!list.may_begin()) return;
  const RowTasks<Offset> tasks = list_tasks_at_once<HasPieces>(list);
  if (static_cast<int>(blockIdx.x) < tasks.blocks())
    find_levels_of_tasks<HasPieces>(tasks, list.unknown, TaskCounters<int>(list.claimed, partial));
}

/// Enqueued. By one kernel, for a small triangle; it does nothing where `cells` of a check of the structure, unless
/// they are null, say that something is wrong.
template <class Offset>
void find_levels_at_once(const Kokkos::Cuda& space, const RowTasks<Offset>& unlisted, const TaskScratch& scratch,
                         bool may_have_pieces, int* level, const int* cells = nullptr) {
  const auto start = [&](auto kernel, ListTasks<Offset> list, int* partial) {
    list.cells = cells;
    launch(space, "terrace::cuda::list_tasks_and_find_row_levels", kernel, static_cast<std::size_t>(unlisted.blocks()),
           threads_of_walk(may_have_pieces), list, partial);
  };
  if (!may_have_pieces)
    return start(list_tasks_and_find_row_levels_kernel<Offset, false>,
                 tasks_to_list(space, unlisted, scratch, nullptr, nullptr, level), nullptr);
  const std::size_t pieces = most_pieces(unlisted);
  JoinedScratch memory(space, "terrace::cuda::find_levels::pieces",
                       Arrays::bytes<RowPiece>(pieces) + TaskCounters<int>::bytes(static_cast<int>(pieces)));
  auto* const list_of_pieces = memory.take<RowPiece>(pieces);
  const TaskCounters<int> counters(memory, static_cast<int>(pieces));
  start(list_tasks_and_find_row_levels_kernel<Offset, true>,
        tasks_to_list(space, unlisted, scratch, list_of_pieces, counters.claimed, level), counters.partial);
}

/// Enqueues the search. `level` is -1 before, and the counters zero.
template <class Offset>
void find_row_levels(const Kokkos::Cuda& space, const RowTasks<Offset>& tasks, int* level,
                     const TaskCounters<int>& counters) {
  const bool has_pieces = tasks.piece_count > 0;
  launch(space, "terrace::cuda::find_row_levels",
         has_pieces ? find_row_levels_kernel<Offset, true> : find_row_levels_kernel<Offset, false>, tasks.blocks(),
         threads_of_walk(has_pieces), tasks, level, counters);
}

/// Enqueued, unless there may be long rows: waits for the number of their pieces then.
template <class Offset>
void find_levels_step_by_step(const Kokkos::Cuda& space, const sparse::Triangle<int, Offset, Kokkos::Cuda>& triangle,
                              bool backward, const TaskScratch& scratch, int* level) {
  auto tasks = list_tasks(space, triangle.view(), backward, triangle.entries.extent(0), scratch, level);
  if (triangle.may_have_long_rows) count_tasks(space, tasks);
  const int pieces = tasks.piece_count;
  if (pieces == 0) return find_row_levels(space, tasks, level, TaskCounters<int>(scratch.claimed()));
  JoinedScratch memory(space, "terrace::cuda::find_levels::pieces",
                       Arrays::bytes<RowPiece>(static_cast<std::size_t>(pieces)) + TaskCounters<int>::bytes(pieces));
  list_pieces(space, tasks, memory.take<RowPiece>(static_cast<std::size_t>(pieces)));
  const TaskCounters<int> counters(memory, pieces);
  counters.reset(space, pieces);
  find_row_levels(space, tasks, level, counters);
}

/// Enqueues the search for the level of each row. `arrays` has memory for it, which is free for others afterwards.
/// Waits where there may be long rows and the triangle is not small.
template <class Offset>
void find_levels(const Kokkos::Cuda& space, const sparse::Triangle<int, Offset, Kokkos::Cuda>& triangle, bool backward,
                 Arrays& arrays, int* level) {
  const TaskScratch scratch(arrays, triangle.count);
  const std::size_t entries = triangle.entries.extent(0);
  if (!SmallMatrix::is(triangle.count, entries))
    return find_levels_step_by_step(space, triangle, backward, scratch, level);
  find_levels_at_once(space, unlisted_tasks(triangle.view(), backward, entries, scratch), scratch,
                      triangle.may_have_long_rows, level);
}

}  // namespace terrace::cuda
