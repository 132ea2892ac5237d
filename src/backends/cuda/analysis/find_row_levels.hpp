// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The level of every row in one kernel: 1 + the largest level among the rows it needs, and 0 for those that need none.
//
// Synchronization-free substitution with max in place of multiply-add: a level that is not yet known is -1, and who
// needs it looks again. It needs neither the transposed pattern nor in-degrees nor a kernel per level. O(entries) work.
//
// Who waits. Rows in the order of the matrix wait for their neighbours most of the time, and a hundred thousand waiting
// threads crowd out the one that could go on. So rows that need the row before them, as on a grid line, form a
// task, which one group of lanes walks in sequence, handing the newest level on in a register. Few groups then cover
// many rows, and they advance in a wave.
//
// It ends whatever the scheduler does: tasks are claimed in solution order and each group works off its claims in that
// order, so the first unfinished row is always in somebody's hands and waits for nothing. Rows of one warp may need
// each other: no lane stays in a loop that another lane of its warp would have to end.
#pragma once

#include "algorithms/analysis/cut_tasks.hpp"
#include "backends/cuda/analysis/list_flagged.hpp"
#include "backends/cuda/arrays.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/triangular/tuning.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

/// Flags the places of the solution order where tasks begin, and the end. Rows are sorted, so the nearest needed row
/// stands at an end.
template <class Offset>
struct FlagTasks {
  analysis::Pattern<int, Offset> rows;
  bool backward;
  Offset entries_per_task;  // no task has many more
  unsigned char* begins;

  KOKKOS_FUNCTION int row_of(int place) const {
    return analysis::Positions<int>{rows.lines, backward, nullptr}.of(place);
  }

  KOKKOS_FUNCTION bool begins_at(int place) const {
    if (place == 0 || place == rows.lines) return true;
    const int row = row_of(place), before = row_of(place - 1);
    const Offset begin = rows.begin(row), end = rows.end(row);
    if (begin >= end || rows.entries[backward ? begin : end - 1] != before) return true;
    return begin / entries_per_task != rows.begin(before) / entries_per_task;
  }

  KOKKOS_FUNCTION void operator()(int place) const { begins[place] = begins_at(place); }
};

template <class Offset>
struct RowLevels {
  analysis::Pattern<int, Offset> rows;
  bool backward;
  std::int64_t entries;
  int log2_lanes;  // that share a task
  const int* first_place;
  int tasks;
  bool claims_ahead;  // before the last rows of a task are done
  int* level;         // -1 on entry
  unsigned* claimed;
};

/// One group of lanes on its way through tasks. What a row needs is fetched in stages, each one turn of the loop before
/// it is used, because a load that has to be waited for holds up all groups of the warp: the next task's number, where
/// it begins, where the entries of the row after the next lie, the entries of the next.
template <class Offset>
class LevelWalk {
 public:
  __device__ explicit LevelWalk(const RowLevels<Offset>& levels)
      : levels_(levels),
        lanes_(1 << levels.log2_lanes),
        lane_(static_cast<int>(threadIdx.x) % warp_size),
        part_(lane_ % lanes_) {}

  __device__ void walk() {
    do {
      look();
      const int deepest = over_group(now_.is_open ? unknown : deepest_);
      if (now_.is_row && deepest != unknown) finish(deepest + 1);
      if (__any_sync(all_lanes, !now_.is_row)) advance();
    } while (__any_sync(all_lanes, is_working()));
  }

 private:
  static constexpr int unknown = 0x7fffffff, at_once = 4;

  struct Row {
    bool is_row = false;
    bool is_open = false;  // there are entries whose levels are not yet known
    int row = 0;
    Offset next = 0, end = 0;  // of this lane's entries
    int needed[at_once] = {-1, -1, -1, -1};
  };

  enum class Task { None, Claimed, Known, NoMore };

  __device__ bool is_working() const {
    return now_.is_row || ahead_.is_row || after_.is_row || place_ < end_place_ || task_ != Task::NoMore;
  }

  /// Every stage moves on by one.
  __device__ void advance() {
    if (!now_.is_row && ahead_.is_row) {
      now_ = ahead_;
      deepest_ = -1;
      ahead_.is_row = false;
    }
    if (!ahead_.is_row && after_.is_row) {
      ahead_ = after_;
      ahead_.next += part_;
      fetch_entries(ahead_);
      const std::int64_t distance = LevelTuning::entries_ahead * lanes_;
      const std::int64_t far = static_cast<std::int64_t>(ahead_.next) + (levels_.backward ? -distance : distance);
      if (far >= 0 && far < levels_.entries) prefetch(levels_.rows.entries + far);
      after_.is_row = false;
    }
    if (place_ == end_place_ && task_ == Task::Known) {
      place_ = task_place_;
      end_place_ = task_end_;
      task_ = Task::None;
    }
    if (!after_.is_row && place_ < end_place_) find_entries(place_++);
    claim();
  }

  /// Looks up the task that was claimed in the last turn, and claims for the groups that want one, in one addition for
  /// the whole warp.
  __device__ void claim() {
    const unsigned task = __shfl_sync(all_lanes, claimed_, 0) + rank_;
    if (task_ == Task::Claimed) {
      task_ = task < static_cast<unsigned>(levels_.tasks) ? Task::Known : Task::NoMore;
      if (task_ == Task::Known) {
        task_place_ = levels_.first_place[task];
        task_end_ = levels_.first_place[task + 1];
      }
    }
    const bool is_idle = !now_.is_row && !ahead_.is_row && !after_.is_row;
    const bool wants = task_ == Task::None && place_ == end_place_ && (levels_.claims_ahead || is_idle);
    const unsigned leaders = __ballot_sync(all_lanes, wants && part_ == 0);
    if (leaders == 0) return;
    if (lane_ == 0) claimed_ = atomicAdd(levels_.claimed, static_cast<unsigned>(__popc(leaders)));
    rank_ = static_cast<unsigned>(__popc(leaders & ((1u << (lane_ - part_)) - 1u)));
    if (wants) task_ = Task::Claimed;
  }

  __device__ void find_entries(int place) {
    after_.row = analysis::Positions<int>{levels_.rows.lines, levels_.backward, nullptr}.of(place);
    after_.next = levels_.rows.begin(after_.row);
    after_.end = levels_.rows.end(after_.row);
    after_.is_row = true;
    const int far = after_.row + (levels_.backward ? -LevelTuning::rows_ahead : LevelTuning::rows_ahead);
    if (far >= 0 && far < levels_.rows.lines) prefetch(levels_.rows.line_map + far);
  }

  __device__ void fetch_entries(Row& to) const {
    to.is_open = to.next < to.end;
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      const Offset k = to.next + static_cast<Offset>(w * lanes_);
      to.needed[w] = k < to.end ? levels_.rows.entries[k] : -1;
    }
  }

  /// Looks at the pending entries; those that are known are marked as needed no more.
  __device__ void look() {
    int found[at_once];
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      found[w] = now_.needed[w] == newest_row_ ? newest_level_ : -1;
      watch_if(now_.needed[w] >= 0 && found[w] < 0, levels_.level + now_.needed[w], found[w]);
    }
    bool waits = false;
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      deepest_ = max(deepest_, found[w]);
      if (found[w] >= 0) now_.needed[w] = -1;
      waits = waits || now_.needed[w] >= 0;
    }
    if (waits || !now_.is_open) return;
    now_.next += static_cast<Offset>(at_once * lanes_);
    fetch_entries(now_);
  }

  /// The largest number of the group.
  __device__ int over_group(int mine) const {
    for (int distance = lanes_ / 2; distance > 0; distance /= 2)
      mine = max(mine, __shfl_xor_sync(all_lanes, mine, distance));
    return mine;
  }

  __device__ void finish(int level) {
    newest_row_ = now_.row;
    newest_level_ = level;
    if (part_ == 0) publish(levels_.level + now_.row, level);
    now_.is_row = false;
  }

  const RowLevels<Offset>& levels_;
  int lanes_, lane_, part_;
  Row now_, ahead_, after_;  // of after_ only where its entries lie
  int deepest_ = -1, newest_row_ = -1, newest_level_ = -1;
  int place_ = 0, end_place_ = 0;  // the rows of the task that are not yet on their way
  Task task_ = Task::None;         // the one after it
  int task_place_ = 0, task_end_ = 0;
  unsigned claimed_ = 0, rank_ = 0;
};

template <class Offset>
__global__ void __launch_bounds__(LevelTuning::block) find_row_levels_kernel(RowLevels<Offset> levels) {
  LevelWalk<Offset>(levels).walk();
}

/// What find_row_levels works with, beside the levels.
class LevelScratch {
 public:
  static std::size_t bytes(int rows) {
    const auto places = static_cast<std::size_t>(rows) + 1;
    return Arrays::bytes<int>(places) + Arrays::bytes<unsigned char>(places) + Arrays::bytes<unsigned>(2) +
           Arrays::bytes<char>(list_flagged_bytes(rows + 1));
  }

  LevelScratch(Arrays& arrays, int rows)
      : first_place(arrays.take<int>(static_cast<std::size_t>(rows) + 1)),
        flags(arrays.take<unsigned char>(static_cast<std::size_t>(rows) + 1)),
        counters(arrays.take<unsigned>(2)),
        select_bytes(list_flagged_bytes(rows + 1)),
        select(arrays.take<char>(select_bytes)) {}

  int* first_place;
  unsigned char* flags;
  unsigned* counters;
  std::size_t select_bytes;
  char* select;
};

/// Enqueues the search, after one wait for the number of tasks. `level` has one number per row.
template <class Offset>
void find_row_levels(const Kokkos::Cuda& space, const analysis::Pattern<int, Offset>& rows, bool backward,
                     std::size_t entries, int* level, const LevelScratch& scratch) {
  const auto stream = space.cuda_stream();
  const int log2_lanes =
      log2_lanes_for(entries, LevelTuning::entries_per_lane_of_row * static_cast<std::size_t>(rows.lines));
  const auto entries_per_task = static_cast<Offset>(LevelTuning::entries_per_lane) << log2_lanes;
  Kokkos::parallel_for("terrace::cuda::flag_tasks", Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, rows.lines + 1),
                       FlagTasks<Offset>{rows, backward, entries_per_task, scratch.flags});
  const int tasks = list_flagged(stream, scratch.select, scratch.select_bytes, scratch.flags, rows.lines + 1,
                                 scratch.first_place, reinterpret_cast<int*>(scratch.counters)) -
                    1;
  check(cudaMemsetAsync(level, 0xff, static_cast<std::size_t>(rows.lines) * sizeof(int), stream));
  check(cudaMemsetAsync(scratch.counters, 0, sizeof(unsigned), stream));
  constexpr int threads = LevelTuning::block;
  const int groups_per_block = threads >> log2_lanes;
  const int blocks = std::min((tasks + groups_per_block - 1) / groups_per_block, LevelTuning::most_threads / threads);
  const bool claims_ahead = tasks > blocks * groups_per_block && tasks < rows.lines / LevelTuning::rows_of_long_task;
  launch(space, "terrace::cuda::find_row_levels", find_row_levels_kernel<Offset>, blocks, threads,
         RowLevels<Offset>{rows, backward, static_cast<std::int64_t>(entries), log2_lanes, scratch.first_place, tasks, claims_ahead, level,
                           scratch.counters});
}

}  // namespace terrace::cuda
