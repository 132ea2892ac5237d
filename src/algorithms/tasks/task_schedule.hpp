// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which tasks are solved: by level, and what each must wait for.
#pragma once

#include "algorithms/tasks/sweep_task_levels.hpp"
#include "sparse/order_by_level.hpp"
#include "sparse/row_levels.hpp"

namespace terrace::tasks {

template <class Ordinal, class Offset, class Space>
struct TaskSchedule {
  Ordinal rows = 0;
  bool backward = false;
  TaskLength<Ordinal> length;
  Kokkos::View<Ordinal*, parallel::Device<Space>> first_position;  // of each task; empty when each row is a task
  sparse::LevelOrder<Ordinal, Space> by_level;
  sparse::CrsGraph<Ordinal, Offset, Space>
      predecessors;  // of tasks; empty when each row is a task: its entries are they
  sparse::RowLevels row_levels;

  Ordinal tasks() const { return static_cast<Ordinal>(by_level.order.extent(0)); }
  bool one_row_per_task() const { return length.most == 1; }
  Positions<Ordinal> positions() const { return {rows, backward, first_position.data()}; }

  std::size_t bytes_held() const {
    return (first_position.span() + by_level.order.span() + by_level.level_offsets.span()) * sizeof(Ordinal) +
           predecessors.bytes_held();
  }
};

/// Each row a task: the nodes are the rows themselves, by their own numbers. The rows of `triangle` must gather.
template <class Ordinal, class Offset, class Space>
TaskSchedule<Ordinal, Offset, Space> schedule_rows(const Space& space,
                                                   const sparse::Triangle<Ordinal, Offset, Space>& triangle,
                                                   bool backward) {
  TaskSchedule<Ordinal, Offset, Space> schedule{triangle.count, backward, {}, {}, {}, {}, {}};
  const auto levels =
      sparse::assign_levels<Ordinal, Offset, Space>(space, triangle.view(), triangle.count, true, backward);
  schedule.by_level = sparse::order_by_level(space, levels);
  schedule.row_levels = sparse::levels_of_offsets(schedule.by_level.offsets);
  return schedule;
}

/// Tasks of several rows. Few threads that need no list of predecessors get by with one pass over the entries.
template <class Ordinal, class Offset, class Space>
TaskSchedule<Ordinal, Offset, Space> schedule_tasks(const Space& space,
                                                    const sparse::Triangle<Ordinal, Offset, Space>& triangle,
                                                    bool backward, const TaskLength<Ordinal>& length,
                                                    bool list_predecessors) {
  TaskSchedule<Ordinal, Offset, Space> schedule{triangle.count, backward, length, {}, {}, {}, {}};
  schedule.first_position = cut_tasks<Ordinal, Offset, Space>(space, triangle.view(), backward, length);
  const auto tasks = static_cast<Ordinal>(schedule.first_position.extent(0)) - 1;
  if (!list_predecessors && sparse::sweeping_pays(space)) {
    const auto levels = sweep_task_levels<Ordinal, Offset, Space>(space, triangle.view(), schedule.positions(), tasks);
    schedule.by_level = sparse::order_by_level(space, levels.tasks);
    schedule.row_levels = sparse::measure_levels(space, levels.rows);
    return schedule;
  }
  schedule.predecessors = make_task_graph<Ordinal, Offset, Space>(space, triangle.view(), schedule.positions(), tasks);
  const auto levels =
      sparse::assign_levels<Ordinal, Offset, Space>(space, schedule.predecessors.view(), tasks, true, false);
  schedule.by_level = sparse::order_by_level(space, levels);
  schedule.row_levels = sparse::measure_levels(
      space, sparse::assign_levels<Ordinal, Offset, Space>(space, triangle.view(), triangle.count, true, backward));
  if (!list_predecessors) schedule.predecessors = {};
  return schedule;
}

}  // namespace terrace::tasks
