// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of consecutive rows as the nodes of a dependence graph.
//
// On a host a row is too little work to hand out, and level order tears apart rows that share cache lines. A
// task is 2^k consecutive rows that one thread solves in their natural order; task t needs task s when some row of t
// needs one of s. The graph of tasks is acyclic, because positions are in solution order. Coarsening after
// Park, Smelyanskiy, Sundaram, Dubey, "Sparsifying synchronization for high-performance shared-memory
// sparse triangular solver", ISC 2014. A predecessor may be listed more than once: the memory of what was
// listed is a small direct-mapped table.
#pragma once

#include "algorithms/analysis/copy_lines.hpp"

namespace terrace::analysis {

/// Position p is the p-th row in solution order.
template <class Ordinal>
struct Positions {
  Ordinal rows = 0;
  bool backward = false;
  int shift = 0;  // rows per task as a power of two

  KOKKOS_FUNCTION Ordinal of(Ordinal row_or_position) const {
    return backward ? rows - 1 - row_or_position : row_or_position;
  }
  KOKKOS_FUNCTION Ordinal task_of_row(Ordinal row) const { return of(row) >> shift; }
  KOKKOS_FUNCTION Ordinal first_position(Ordinal task) const { return task << shift; }
  KOKKOS_FUNCTION Ordinal end_position(Ordinal task) const {
    const Ordinal rest = rows - (task << shift);
    return rest < (Ordinal(1) << shift) ? rows : (task + 1) << shift;
  }
  Ordinal tasks() const { return rows == 0 ? 0 : ((rows - 1) >> shift) + 1; }
};

/// Counts the predecessors of each task, or writes them: the same walk both times.
template <class Ordinal, class Offset, bool Write>
struct ListPredecessors {
  Pattern<Ordinal, Offset> lines;
  Positions<Ordinal> positions;
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
        const Ordinal needed = positions.task_of_row(lines.entries[k]);
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
                                                          const Positions<Ordinal>& positions) {
  const Ordinal tasks = positions.tasks();
  const Kokkos::RangePolicy<Space> each_task(space, 0, tasks);
  auto lengths = uninitialized<Offset>(space, "terrace::analysis::lengths", tasks);
  Kokkos::parallel_for("terrace::analysis::count_predecessors", each_task,
                       ListPredecessors<Ordinal, Offset, false>{lines, positions, lengths.data(), nullptr, nullptr});
  OwnedPattern<Ordinal, Offset, Space> graph;
  graph.line_map = uninitialized<Offset>(space, "terrace::schedule::predecessor_map", static_cast<std::size_t>(tasks) + 1);
  auto next = uninitialized<Offset>(space, "terrace::analysis::next", tasks);
  Offset total = 0;
  Kokkos::parallel_scan("terrace::analysis::line_starts", Kokkos::RangePolicy<Space>(space, 0, tasks + 1),
                        LineStarts<Offset>{lengths.data(), graph.line_map.data(), next.data(),
                                           static_cast<Offset>(tasks)},
                        total);
  graph.entries = uninitialized<Ordinal>(space, "terrace::schedule::predecessors", total);
  Kokkos::parallel_for("terrace::analysis::list_predecessors", each_task,
                       ListPredecessors<Ordinal, Offset, true>{lines, positions, nullptr, graph.line_map.data(),
                                                               graph.entries.data()});
  return graph;
}

}  // namespace terrace::analysis
