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
#include "backends/cuda/launch.hpp"
#include "backends/cuda/triangular/tuning.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

template <class T>
using DeviceArray = Kokkos::View<T*, analysis::Device<Kokkos::Cuda>>;

/// Lists where tasks begin, in places of the solution order. Rows are sorted, so the nearest needed row stands at an
/// end.
template <class Offset>
struct ListTasks {
  analysis::Pattern<int, Offset> rows;
  bool backward;
  Offset entries_per_task;  // no task has many more
  int* first_place;

  KOKKOS_FUNCTION int row_of(int place) const {
    return analysis::Positions<int>{rows.lines, backward, nullptr}.of(place);
  }

  KOKKOS_FUNCTION bool begins_at(int place) const {
    if (place == 0) return true;
    const int row = row_of(place), before = row_of(place - 1);
    const Offset begin = rows.begin(row), end = rows.end(row);
    if (begin >= end || rows.entries[backward ? begin : end - 1] != before) return true;
    return begin / entries_per_task != rows.begin(before) / entries_per_task;
  }

  KOKKOS_FUNCTION void operator()(int place, int& tasks, bool final) const {
    const bool begins = place == rows.lines || begins_at(place);
    if (final && begins) first_place[tasks] = place;
    if (begins) ++tasks;
  }
};

template <class Offset>
struct RowLevels {
  analysis::Pattern<int, Offset> rows;
  bool backward;
  int log2_lanes;  // that share a task
  const int* first_place;
  int tasks;
  int* level;  // -1 on entry
  unsigned* claimed;
};

/// One group of lanes on its way through tasks. The first entries of the row after the present one are on their way.
template <class Offset>
class LevelWalk {
 public:
  __device__ explicit LevelWalk(const RowLevels<Offset>& levels)
      : levels_(levels),
        lanes_(1 << levels.log2_lanes),
        lane_(static_cast<int>(threadIdx.x) % warp_size),
        part_(lane_ % lanes_) {}

  __device__ void walk() {
    bool working = claim(true);
    while (__any_sync(all_lanes, working)) {
      if (working) look();
      const int deepest = over_group(now_.is_open ? unknown : deepest_);
      const bool is_found = working && deepest != unknown;
      if (is_found) finish(deepest + 1);
      const bool task_ends = is_found && ++place_ == end_place_;
      if (is_found && !task_ends) open_next_row();
      if (__any_sync(all_lanes, task_ends)) {
        const bool more = claim(task_ends);
        if (task_ends) working = more;
      }
    }
  }

 private:
  static constexpr int unknown = 0x7fffffff, at_once = 4;

  struct Row {
    int row;
    Offset next, end;  // of this lane's entries
    int needed[at_once];
    bool is_open;  // there are entries whose levels are not yet known
  };

  /// Groups that want one get the next tasks, in one addition for the whole warp.
  __device__ bool claim(bool wanted) {
    const unsigned leaders = __ballot_sync(all_lanes, wanted && part_ == 0);
    unsigned first = 0;
    if (lane_ == 0) first = atomicAdd(levels_.claimed, static_cast<unsigned>(__popc(leaders)));
    first = __shfl_sync(all_lanes, first, 0);
    const int leader = lane_ - part_;
    const unsigned task = first + static_cast<unsigned>(__popc(leaders & ((1u << leader) - 1u)));
    if (!wanted || task >= static_cast<unsigned>(levels_.tasks)) return false;
    place_ = levels_.first_place[task];
    end_place_ = levels_.first_place[task + 1];
    newest_row_ = -1;
    fetch(place_, ahead_);
    open_next_row();
    return true;
  }

  __device__ void fetch(int place, Row& to) const {
    to.row = analysis::Positions<int>{levels_.rows.lines, levels_.backward, nullptr}.of(place);
    to.next = levels_.rows.begin(to.row) + part_;
    to.end = levels_.rows.end(to.row);
    fetch_entries(to);
  }

  __device__ void fetch_entries(Row& to) const {
    to.is_open = to.next < to.end;
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      const Offset k = to.next + static_cast<Offset>(w * lanes_);
      to.needed[w] = k < to.end ? levels_.rows.entries[k] : -1;
    }
  }

  __device__ void open_next_row() {
    now_ = ahead_;
    deepest_ = -1;
    if (place_ + 1 < end_place_) fetch(place_ + 1, ahead_);
  }

  /// Looks at the pending entries; those that are known are marked as needed no more.
  __device__ void look() {
    int found[at_once];
#pragma unroll
    for (int w = 0; w < at_once; ++w)
      found[w] = now_.needed[w] < 0              ? -1
                 : now_.needed[w] == newest_row_ ? newest_level_
                                                 : watch(levels_.level + now_.needed[w]);
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
  }

  const RowLevels<Offset>& levels_;
  int lanes_, lane_, part_;
  int place_ = 0, end_place_ = 0;
  Row now_ = {}, ahead_ = {};
  int deepest_ = -1, newest_row_ = -1, newest_level_ = -1;
};

template <class Offset>
__global__ void __launch_bounds__(LevelTuning::block) find_row_levels_kernel(RowLevels<Offset> levels) {
  LevelWalk<Offset>(levels).walk();
}

/// Enqueues the search, after one wait for the number of tasks. `level` has one number per row, and one more behind
/// them that the kernel claims with; `first_place` is scratch memory of as many.
template <class Offset>
void find_row_levels(const Kokkos::Cuda& space, const analysis::Pattern<int, Offset>& rows, bool backward,
                     std::size_t entries, int* level, int* first_place) {
  const auto stream = space.cuda_stream();
  const int log2_lanes =
      log2_lanes_for(entries, LevelTuning::entries_per_lane_of_row * static_cast<std::size_t>(rows.lines));
  const auto entries_per_task = static_cast<Offset>(LevelTuning::entries_per_lane) << log2_lanes;
  int tasks = 0;
  Kokkos::parallel_scan("terrace::cuda::list_tasks", Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, rows.lines + 1),
                        ListTasks<Offset>{rows, backward, entries_per_task, first_place}, tasks);
  --tasks;
  auto* claimed = reinterpret_cast<unsigned*>(level + rows.lines);
  check(cudaMemsetAsync(level, 0xff, static_cast<std::size_t>(rows.lines) * sizeof(int), stream));
  check(cudaMemsetAsync(claimed, 0, sizeof(unsigned), stream));
  constexpr int threads = LevelTuning::block;
  const int groups_per_block = threads >> log2_lanes;
  const int blocks = std::min((tasks + groups_per_block - 1) / groups_per_block, LevelTuning::most_threads / threads);
  launch(space, "terrace::cuda::find_row_levels", find_row_levels_kernel<Offset>, blocks, threads,
         RowLevels<Offset>{rows, backward, log2_lanes, first_place, tasks, level, claimed});
}

}  // namespace terrace::cuda
