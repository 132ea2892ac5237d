// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks as the nodes of a dependence graph.
//
// Task t needs task s when some row of t needs one of s. The graph is acyclic, because positions are in solution order.
// Coarsening after Park, Smelyanskiy, Sundaram, Dubey, "Sparsifying synchronization for high-performance
// shared-memory sparse triangular solver", ISC 2014. A predecessor may be listed more than once: the memory of what was
// listed is a small direct-mapped table.
#pragma once

#include "algorithms/tasks/cut_tasks.hpp"
#include "parallel/loops.hpp"
#include "sparse/assign_levels.hpp"
#include "sparse/build_rows.hpp"

namespace terrace::tasks {

template <class Ordinal>
struct NumberTasks {
  Positions<Ordinal> positions;
  Ordinal* task_of_row;
  KOKKOS_FUNCTION void operator()(Ordinal task) const {
    for (Ordinal p = positions.first_position(task); p < positions.end_position(task); ++p)
      task_of_row[positions.of(p)] = task;
  }
};

/// The task of each row.
template <class Ordinal, class Space>
parallel::Scratch<Ordinal, Space> number_tasks(const Space& space, const Positions<Ordinal>& positions, Ordinal tasks) {
  parallel::Scratch<Ordinal, Space> task_of_row(space, "terrace::tasks::task_of_row",
                                                static_cast<std::size_t>(positions.rows));
  parallel::for_range("terrace::tasks::number_tasks", Kokkos::RangePolicy<Space>(space, 0, tasks),
                      NumberTasks<Ordinal>{positions, task_of_row.data()});
  return task_of_row;
}

/// Row t of the graph names the tasks that task t needs.
template <class Ordinal, class Offset>
struct VisitPredecessors {
  static constexpr bool own_row = true;

  sparse::TriangleView<Ordinal, Offset> pattern;
  Positions<Ordinal> positions;
  const Ordinal* task_of_row;

  template <class Emit>
  KOKKOS_FUNCTION void operator()(Ordinal task, const Emit& emit) const {
    constexpr int slots = 64;
    Ordinal listed[slots];
    for (int slot = 0; slot < slots; ++slot) listed[slot] = -1;
    for (Ordinal p = positions.first_position(task); p < positions.end_position(task); ++p) {
      const Ordinal row = positions.of(p);
      for (Offset k = pattern.begin(row); k < pattern.end(row); ++k) {
        const Ordinal needed = task_of_row[pattern.entries[k]];
        if (needed == task || listed[needed % slots] == needed) continue;
        listed[needed % slots] = needed;
        emit(task, needed, k);
      }
    }
  }
};

template <class Ordinal, class Offset, class Space>
sparse::CrsGraph<Ordinal, Offset, Space> make_task_graph(const Space& space,
                                                         const sparse::TriangleView<Ordinal, Offset>& pattern,
                                                         const Positions<Ordinal>& positions, Ordinal tasks) {
  const auto task_of_row = number_tasks(space, positions, tasks);
  const VisitPredecessors<Ordinal, Offset> visit{pattern, positions, task_of_row.data()};
  const auto graph = sparse::build_rows<Ordinal, Offset>(space, "terrace::tasks::list_predecessors", tasks, tasks,
                                                         visit, sparse::Sources::Forget);
  space.fence("terrace::tasks::make_task_graph");
  return graph;
}

}  // namespace terrace::tasks
