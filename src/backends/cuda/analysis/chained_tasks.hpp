// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a triangle, in their own order, cut into tasks: runs of rows that each need the row before them, as on a
// grid line. Whoever walks a task hands the newest result on in a register.
#pragma once

#include <algorithm>

#include "algorithms/analysis/cut_tasks.hpp"
#include "backends/cuda/analysis/list_flagged.hpp"
#include "backends/cuda/arrays.hpp"
#include "backends/cuda/check.hpp"
#include "backends/cuda/triangular/tuning.hpp"

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

/// The tasks as the kernels see them.
template <class Offset>
struct ChainedTasks {
  analysis::Pattern<int, Offset> rows;
  bool backward;
  std::int64_t entries;
  int log2_lanes;          // that share a task
  const int* first_place;  // of each task in the solution order, and the end
  int tasks;

  int groups_per_block() const { return TaskTuning::block >> log2_lanes; }
  int blocks() const {
    return std::min((tasks + groups_per_block() - 1) / groups_per_block(),
                    TaskTuning::most_threads / TaskTuning::block);
  }
  /// Short tasks that wait for each other would queue up behind tasks that they have nothing to do with.
  bool pays_to_claim_ahead() const {
    return tasks > blocks() * groups_per_block() && tasks < rows.lines / TaskTuning::rows_of_long_task;
  }
};

/// What list_tasks works with.
class TaskScratch {
 public:
  static std::size_t bytes(int rows) {
    const auto places = static_cast<std::size_t>(rows) + 1;
    return Arrays::bytes<int>(places) + Arrays::bytes<unsigned char>(places) + Arrays::bytes<int>(1) +
           Arrays::bytes<char>(list_flagged_bytes(rows + 1));
  }

  TaskScratch(Arrays& arrays, int rows)
      : first_place(arrays.take<int>(static_cast<std::size_t>(rows) + 1)),
        flags(arrays.take<unsigned char>(static_cast<std::size_t>(rows) + 1)),
        found(arrays.take<int>(1)),
        select_bytes(list_flagged_bytes(rows + 1)),
        select(arrays.take<char>(select_bytes)) {}

  int* first_place;
  unsigned char* flags;
  int* found;
  std::size_t select_bytes;
  char* select;
};

/// The tasks, whose list stays in the scratch memory. Waits for their number.
template <class Offset>
ChainedTasks<Offset> list_tasks(const Kokkos::Cuda& space, const analysis::Pattern<int, Offset>& rows, bool backward,
                                std::size_t entries, const TaskScratch& scratch) {
  const int log2_lanes =
      log2_lanes_for(entries, TaskTuning::entries_per_lane_of_row * static_cast<std::size_t>(rows.lines));
  const auto entries_per_task = static_cast<Offset>(TaskTuning::entries_per_lane) << log2_lanes;
  Kokkos::parallel_for("terrace::cuda::flag_tasks", Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, rows.lines + 1),
                       FlagTasks<Offset>{rows, backward, entries_per_task, scratch.flags});
  const int begins = list_flagged(space.cuda_stream(), scratch.select, scratch.select_bytes, scratch.flags,
                                  rows.lines + 1, scratch.first_place, scratch.found);
  return {rows, backward, static_cast<std::int64_t>(entries), log2_lanes, scratch.first_place, begins - 1};
}

}  // namespace terrace::cuda
