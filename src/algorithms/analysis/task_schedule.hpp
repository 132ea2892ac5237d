// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which tasks are solved: by level, and what each must wait for.
#pragma once

#include "algorithms/analysis/order_by_level.hpp"
#include "algorithms/analysis/task_graph.hpp"

namespace terrace::analysis {

template <class Ordinal, class Offset, class Space>
struct TaskSchedule {
  Positions<Ordinal> positions;  // of rows in solution order, and which task they belong to
  LevelOrder<Ordinal, Space> by_level;
  OwnedPattern<Ordinal, Offset, Space> predecessors;  // of tasks; empty when a task is one row: then its line lists them

  Ordinal tasks() const { return static_cast<Ordinal>(by_level.order.extent(0)); }
  int rows_per_task() const { return 1 << positions.shift; }

  Ordinal widest_level() const {
    Ordinal widest = 0;
    for (Ordinal level = 0; level < by_level.levels(); ++level)
      widest = std::max(widest, by_level.offsets[level + 1] - by_level.offsets[level]);
    return widest;
  }

  std::size_t bytes_held() const {
    return (by_level.order.span() + by_level.level_offsets.span() + predecessors.entries.span()) * sizeof(Ordinal) +
           predecessors.line_map.span() * sizeof(Offset);
  }
};

/// `lines` must gather. With one row per task the nodes are the rows themselves, by their own numbers.
template <class Ordinal, class Offset, class Space>
TaskSchedule<Ordinal, Offset, Space> make_task_schedule(const Space& space, const Lines<Ordinal, Offset, Space>& lines,
                                                        bool backward, int shift) {
  TaskSchedule<Ordinal, Offset, Space> schedule;
  schedule.positions = {lines.count, backward, shift};
  LevelAssignment<Ordinal, Space> levels;
  if (shift == 0) {
    levels = assign_levels<Ordinal, Offset, Space>(space, lines.pattern(), true, backward);
  } else {
    schedule.predecessors = make_task_graph<Ordinal, Offset, Space>(space, lines.pattern(), schedule.positions);
    levels = assign_levels<Ordinal, Offset, Space>(space, schedule.predecessors.pattern(), true, false);
  }
  schedule.by_level = order_by_level(space, levels);
  return schedule;
}

}  // namespace terrace::analysis
