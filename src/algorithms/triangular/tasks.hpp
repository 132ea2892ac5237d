// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tasks of a schedule as kernels see them: which rows of a triangle, and which unknowns, the task at some place of
// the order covers.
//
// With one row per task and a copied triangle the rows stand in level order, so place, row and task agree and
// `order` names the unknown. Otherwise rows stay where they are, have the numbers of their unknowns, and `order` names
// the task; without an order tasks follow each other in solution order.
#pragma once

#include "algorithms/tasks/cut_tasks.hpp"

namespace terrace::triangular {

template <class Ordinal, class Offset>
struct Tasks {
  tasks::Positions<Ordinal> positions;
  Ordinal count = 0;
  const Ordinal* order = nullptr;
  bool reordered = false;  // the rows stand in level order
  const Offset* predecessor_map = nullptr;
  const Ordinal* predecessors = nullptr;

  KOKKOS_FUNCTION Ordinal task_at(Ordinal place) const { return order ? order[place] : place; }

  /// Calls `solve(row, unknown)` for the rows of the task in solution order, or against it.
  template <class Solve>
  KOKKOS_FUNCTION void for_each_row(Ordinal place, bool against, const Solve& solve) const {
    if (reordered) return solve(place, order[place]);
    if (order && !positions.first) return solve(order[place], order[place]);
    const Ordinal task = task_at(place);
    const Ordinal first = positions.first_position(task), end = positions.end_position(task);
    const bool downward = positions.backward != against;
    Ordinal row = positions.of(against ? end - 1 : first);
    for (Ordinal left = end - first; left > 0; --left) {
      solve(row, row);
      row += downward ? -1 : 1;
    }
  }

  /// Solves the rows of the task, one after the other, from what they need.
  template <class System>
  KOKKOS_FUNCTION void gather(const System& system, Ordinal place) const {
    if constexpr (gathers_tasks<System>) {
      const Ordinal task = positions.first ? task_at(place) : place;
      system.gather_tasks(task, task + 1);
    } else {
      gather_rows(system, place);
    }
  }

  /// The same for tasks of one level.
  template <class System>
  KOKKOS_FUNCTION void gather_range(const System& system, Ordinal first, Ordinal last) const {
    if constexpr (gathers_tasks<System>)
      if (!positions.first) return system.gather_tasks(first, last);
    for (Ordinal place = first; place < last; ++place) gather(system, place);
  }

 private:
  /// Rows that know their tasks, and where each is one row have the numbers of their places.
  template <class System>
  static constexpr bool gathers_tasks = requires(const System& system, Ordinal task) {
    system.gather_tasks(task, task);
  };

  template <class System>
  KOKKOS_FUNCTION void gather_rows(const System& system, Ordinal place) const {
    system.with_diagonal_place([&](auto diagonal) {
      for_each_row(place, false,
                   [&](Ordinal row, Ordinal unknown) { system.gather_all_columns(diagonal, row, unknown); });
    });
  }
};

}  // namespace terrace::triangular
