// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The levels of rows that nearly all need the one before, 32 consecutive rows of a task at a time: lanes look up the
// levels of what stands before the window, which nobody in it can change, and note which rows of the window each row
// needs; then the levels within it follow from one exchange between lanes for each row.
//
// A lane that walks such rows one by one (walk_tasks.hpp) waits for a row map, entries, or a level in every turn: 0.8
// us for each row of a path. But windows hold back the lines of a grid, which follow each other row by row.
//
// It ends as the walk of tasks does: tasks are claimed in solution order, and what a window waits for stands before it.
#pragma once

#include "backends/cuda/analysis/row_tasks.hpp"
#include "backends/cuda/lanes.hpp"

namespace terrace::cuda {

template <class Offset, bool PassesOverLongRows>
class LevelWindows {
  static constexpr int at_once = 4;

  /// What a row needs.
  struct Needs {
    unsigned of_window = 0;  // a bit for each row of the window
    int deepest = -1;        // level of what stands before it
  };

 public:
  /// The same for all threads: runs are tasks but for those that end because they have many entries.
  __device__ static bool pays(const RowTasks<Offset>& tasks) {
    if (tasks.log2_lanes > TaskTuning::log2_lanes_for_windows) return false;
    const std::int64_t cuts = tasks.entries / (std::int64_t(TaskTuning::entries_per_lane) << tasks.log2_lanes);
    const std::int64_t runs = max(std::int64_t(__ldcg(tasks.begins)) - 1 - cuts, std::int64_t(1));
    return tasks.pattern.rows >= TaskTuning::rows_of_run_for_windows * runs * runs;
  }

  __device__ LevelWindows(const RowTasks<Offset>& tasks, int* level)
      : tasks_(tasks), level_(level), lane_(static_cast<int>(threadIdx.x) % warp_size), lanes_(1 << tasks.log2_lanes) {}

  /// By whole warps; the counter starts at zero.
  __device__ void walk(unsigned* claimed) const {
    const auto tasks = static_cast<unsigned>(__ldcg(tasks_.begins) - 1);
    for (;;) {
      const unsigned task = __shfl_sync(all_lanes, lane_ == 0 ? atomicAdd(claimed, 1u) : 0u, 0);
      if (task >= tasks) return;
      const int end = tasks_.first_place[task + 1];
      for (int place = tasks_.first_place[task]; place < end;) place += take_window(place, end);
    }
  }

 private:
  __device__ int row_of(int place) const {
    return tasks::Positions<int>{tasks_.pattern.rows, tasks_.backward, nullptr}.of(place);
  }

  /// Returns how many rows it had; long ones end it, and are others' work.
  __device__ int take_window(int place, int last) const {
    int count = min(warp_size, last - place);
    const int row = row_of(place + min(lane_, count - 1));
    const Offset begin = tasks_.pattern.begin(row), end = tasks_.pattern.end(row);
    if constexpr (PassesOverLongRows) {
      const unsigned long_rows = __ballot_sync(all_lanes, lane_ < count && end - begin > tasks_.longest_row);
      if ((long_rows & 1u) != 0) return 1;
      if (long_rows != 0) count = __ffs(static_cast<int>(long_rows)) - 1;
    }
    fetch_ahead(tasks_.backward ? begin : end);
    Needs needs;
    for (int first = 0; first < count; first += warp_size >> tasks_.log2_lanes)
      look_at_rows(place, first, count, begin, end, needs);
    for (int k = 0; k < count; ++k) {
      const int level = __shfl_sync(all_lanes, needs.deepest, k) + 1;
      if ((needs.of_window >> k & 1u) != 0) needs.deepest = max(needs.deepest, level);
    }
    if (lane_ < count) publish(level_ + row, needs.deepest + 1);
    return count;
  }

  /// Rows first, first + 1, ... of the window, each by as many lanes as share an average one; what they need comes to
  /// the lanes of those numbers. `begin` and `end` are of each lane's row.
  __device__ void look_at_rows(int place, int first, int count, Offset begin, Offset end, Needs& needs) const {
    const int log2_lanes = tasks_.log2_lanes, rows = warp_size >> log2_lanes;
    const int row = first + (lane_ >> log2_lanes);
    const Offset from = of_lane(begin, row % warp_size), to = of_lane(end, row % warp_size);
    Needs found;
    if (row < count)
      for (Offset p = from + static_cast<Offset>(lane_ & (lanes_ - 1)); p < to;
           p += static_cast<Offset>(at_once * lanes_))
        look_at_entries(place, p, to, found);
    for (int distance = lanes_ / 2; distance > 0; distance /= 2) {
      found.of_window |= __shfl_xor_sync(all_lanes, found.of_window, distance);
      found.deepest = max(found.deepest, __shfl_xor_sync(all_lanes, found.deepest, distance));
    }
    const bool is_mine = lane_ >= first && lane_ < first + rows;
    const int owner = is_mine ? (lane_ - first) << log2_lanes : lane_;
    const unsigned of_window = __shfl_sync(all_lanes, found.of_window, owner);
    const int deepest = __shfl_sync(all_lanes, found.deepest, owner);
    if (is_mine) needs = {of_window, deepest};
  }

  __device__ void look_at_entries(int place, Offset p, Offset end, Needs& found) const {
    int needed[at_once];
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      const Offset at = p + static_cast<Offset>(w * lanes_);
      needed[w] = at < end ? tasks_.pattern.entries[at] : -1;
    }
    int level[at_once];
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      const int in_window = needed[w] < 0 ? -1 : row_of(needed[w]) - place;  // a place is its row's row
      if (in_window >= 0) found.of_window |= 1u << in_window;
      if (in_window >= 0 || needed[w] < 0) needed[w] = -1;
      level[w] = -1;
    }
    bool waits;
    do {
#pragma unroll
      for (int w = 0; w < at_once; ++w) watch_if(needed[w] >= 0 && level[w] < 0, level_ + needed[w], level[w]);
      waits = false;
#pragma unroll
      for (int w = 0; w < at_once; ++w) waits = waits || (needed[w] >= 0 && level[w] < 0);
    } while (waits);
#pragma unroll
    for (int w = 0; w < at_once; ++w) found.deepest = max(found.deepest, level[w]);
  }

  /// Brings the entries behind this window into L2.
  __device__ void fetch_ahead(Offset edge) const {
    constexpr int entries_of_line = 32;
    const std::int64_t distance = static_cast<std::int64_t>(lane_ + 1) * entries_of_line;
    const std::int64_t far =
        static_cast<std::int64_t>(of_lane(edge, warp_size - 1)) + (tasks_.backward ? -distance : distance);
    if (far >= 0 && far < tasks_.entries) prefetch(tasks_.pattern.entries + far);
  }

  const RowTasks<Offset>& tasks_;
  int* level_;
  int lane_, lanes_;
};

}  // namespace terrace::cuda
