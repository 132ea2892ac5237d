// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks as the nodes of a dependence graph.
//
// Task t needs task s when some row of t needs one of s. The graph is acyclic, because positions are in solution order.
// Coarsening after Park, Smelyanskiy, Sundaram, Dubey, "Sparsifying synchronization for high-performance
// shared-memory sparse triangular solver", ISC 2014. A predecessor may be listed more than once: the memory of what was
// listed is a small direct-mapped table.
#pragma once

#include "algorithms/analysis/assign_levels.hpp"
#include "algorithms/analysis/cut_tasks.hpp"

namespace terrace::analysis {

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
Kokkos::View<Ordinal*, Device<Space>> number_tasks(const Space& space, const Positions<Ordinal>& positions,
                                                   Ordinal tasks) {
  auto task_of_row = uninitialized<Ordinal>(space, "terrace::analysis::task_of_row", positions.rows);
  Kokkos::parallel_for("terrace::analysis::number_tasks", Kokkos::RangePolicy<Space>(space, 0, tasks),
                       NumberTasks<Ordinal>{positions, task_of_row.data()});
  return task_of_row;
}

/// Counts the predecessors of each task, or writes them: the same walk both times.
template <class Ordinal, class Offset, bool Write>
struct ListPredecessors {
  Pattern<Ordinal, Offset> lines;
  Positions<Ordinal> positions;
  const Ordinal* task_of_row;
  Offset* lengths;
  const Offset* task_map;
  Ordinal* predecessors;

  KOKKOS_FUNCTION void operator()(Ordinal task) const {
    constexpr int slots = 64;
    Ordinal listed[slots];
    for (int slot = 0; slot < slots; ++slot) listed[slot] = -1;
    Offset found = 0;
    for (Ordinal p = positions.first_position(task); p < positions.end_position(task); ++p) {
      const Ordinal row = positions.of(p);
      for (Offset k = lines.begin(row); k < lines.end(row); ++k) {
        const Ordinal needed = task_of_row[lines.entries[k]];
        if (needed == task || listed[needed % slots] == needed) continue;
        listed[needed % slots] = needed;
        if constexpr (Write) predecessors[task_map[task] + found] = needed;
        ++found;
      }
    }
    if constexpr (!Write) lengths[task] = found;
  }
};

template <class Ordinal, class Offset, class Space>
OwnedPattern<Ordinal, Offset, Space> make_task_graph(const Space& space, const Pattern<Ordinal, Offset>& lines,
                                                     const Positions<Ordinal>& positions, Ordinal tasks) {
  const Kokkos::RangePolicy<Space> each_task(space, 0, tasks);
  const auto task_of_row = number_tasks(space, positions, tasks);
  auto lengths = uninitialized<Offset>(space, "terrace::analysis::lengths", tasks);
  Kokkos::parallel_for(
      "terrace::analysis::count_predecessors", each_task,
      ListPredecessors<Ordinal, Offset, false>{lines, positions, task_of_row.data(), lengths.data(), nullptr, nullptr});
  OwnedPattern<Ordinal, Offset, Space> graph;
  graph.line_map =
      uninitialized<Offset>(space, "terrace::schedule::predecessor_map", static_cast<std::size_t>(tasks) + 1);
  const Offset total = start_lines<Ordinal, Offset, Space>(space, lengths, graph.line_map);
  graph.entries = uninitialized<Ordinal>(space, "terrace::schedule::predecessors", total);
  Kokkos::parallel_for("terrace::analysis::list_predecessors", each_task,
                       ListPredecessors<Ordinal, Offset, true>{lines, positions, task_of_row.data(), nullptr,
                                                               graph.line_map.data(), graph.entries.data()});
  return graph;
}

}  // namespace terrace::analysis
