// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The levels of the rows and of the tasks in one pass over the entries, by one thread.
//
// What few threads need before they can choose: the levels of the rows say how parallel the matrix is, those of the
// tasks what a schedule would walk. The graph of the tasks is not needed for it.
#pragma once

#include "algorithms/tasks/task_graph.hpp"

namespace terrace::tasks {

template <class Ordinal, class Offset>
struct SweepTaskLevels {
  sparse::TriangleView<Ordinal, Offset> pattern;
  Positions<Ordinal> positions;
  const Ordinal* task_of_row;
  Ordinal tasks;
  Ordinal* row_level;
  Ordinal* task_level;
  Ordinal* levels;  // [2]: of the rows, of the tasks

  KOKKOS_FUNCTION void operator()(int) const {
    levels[0] = levels[1] = 0;
    for (Ordinal task = 0; task < tasks; ++task) {
      Ordinal mine = 0;
      for (Ordinal p = positions.first_position(task); p < positions.end_position(task); ++p)
        visit(positions.of(p), task, mine);
      task_level[task] = mine;
      if (mine >= levels[1]) levels[1] = mine + 1;
    }
  }

  KOKKOS_FUNCTION void visit(Ordinal row, Ordinal task, Ordinal& level_of_task) const {
    Ordinal mine = 0;
    for (Offset k = pattern.begin(row); k < pattern.end(row); ++k) {
      const Ordinal needed = pattern.entries[k];
      if (row_level[needed] >= mine) mine = row_level[needed] + 1;
      const Ordinal needed_task = task_of_row[needed];
      if (needed_task != task && task_level[needed_task] >= level_of_task) level_of_task = task_level[needed_task] + 1;
    }
    row_level[row] = mine;
    if (mine >= levels[0]) levels[0] = mine + 1;
  }
};

/// The levels of both.
template <class Ordinal, class Space>
struct RowAndTaskLevels {
  sparse::LevelAssignment<Ordinal, Space> rows;
  sparse::LevelAssignment<Ordinal, Space> tasks;
};

template <class Ordinal, class Offset, class Space>
RowAndTaskLevels<Ordinal, Space> sweep_task_levels(const Space& space,
                                                   const sparse::TriangleView<Ordinal, Offset>& pattern,
                                                   const Positions<Ordinal>& positions, Ordinal tasks) {
  const auto task_of_row = number_tasks(space, positions, tasks);
  RowAndTaskLevels<Ordinal, Space> result{
      {{space, "terrace::tasks::row_level", static_cast<std::size_t>(pattern.rows)}},
      {{space, "terrace::tasks::task_level", static_cast<std::size_t>(tasks)}}};
  const parallel::Scratch<Ordinal, Space> levels(space, "terrace::tasks::levels", 2);
  parallel::run_alone(
      space, "terrace::tasks::sweep_task_levels",
      SweepTaskLevels<Ordinal, Offset>{pattern, positions, task_of_row.data(), tasks, result.rows.level.data(),
                                       result.tasks.level.data(), levels.data()});
  const auto found = parallel::read_cells<2>(space, levels.data(), "terrace::tasks::sweep_task_levels");
  result.rows.levels = found[0];
  result.tasks.levels = found[1];
  return result;
}

}  // namespace terrace::tasks
