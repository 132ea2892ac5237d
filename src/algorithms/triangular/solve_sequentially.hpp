// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution by one thread in solution order: what a textbook does, as one kernel of one iteration, so that it runs
// on the caller's instance like everything else. The best a host can do where rows form long chains.
#pragma once

#include "algorithms/triangular/row_kernels.hpp"
#include "algorithms/triangular/tasks.hpp"
#include "parallel/run_alone.hpp"

namespace terrace::triangular {

template <class System, bool Gather>
struct SolveSequentially {
  System system;
  bool backward;

  KOKKOS_FUNCTION void operator()(int) const {
    using Ordinal = typename System::Ordinal;
    const Ordinal n = system.pattern.rows;
    if constexpr (!Gather) {
      if (system.b.data != system.x.data) copy_right_hand_side(n);
    }
    if constexpr (Gather) {
      system.with_diagonal_place(
          [&](auto place) { for_each_row(n, [&](Ordinal row) { system.gather_all_columns(place, row, row); }); });
    } else {
      for_each_row(n, [&](Ordinal row) { system.template scatter_all_columns<false>(row, row); });
    }
  }

  template <class Ordinal, class Solve>
  KOKKOS_FUNCTION void for_each_row(Ordinal n, const Solve& solve) const {
    if (backward) {
      for (Ordinal row = n - 1; row >= 0; --row) solve(row);
    } else {
      for (Ordinal row = 0; row < n; ++row) solve(row);
    }
  }

  KOKKOS_FUNCTION void copy_right_hand_side(typename System::Ordinal n) const {
    for (typename System::Ordinal row = 0; row < n; ++row) CopyRightHandSide<System>{system}(row);
  }
};

template <class Space, class System>
void gather_sequentially(const Space& space, const System& system, bool backward) {
  parallel::run_alone(space, System::names.sequential, SolveSequentially<System, true>{system, backward});
}

/// The tasks of a schedule in level order, for rows that stand in it; against it where they scatter.
template <class System, bool Gather>
struct SolveTasksAlone {
  System system;
  Tasks<typename System::Ordinal, typename System::Offset> tasks;

  KOKKOS_FUNCTION void operator()(int) const {
    using Ordinal = typename System::Ordinal;
    if constexpr (Gather) {
      for (Ordinal place = 0; place < tasks.count; ++place) tasks.gather(system, place);
    } else {
      if (system.b.data != system.x.data)
        for (Ordinal row = 0; row < system.pattern.rows; ++row) CopyRightHandSide<System>{system}(row);
      for (Ordinal place = tasks.count - 1; place >= 0; --place)
        tasks.for_each_row(place, true, [&](Ordinal row, Ordinal unknown) {
          system.template scatter_all_columns<false>(row, unknown);
        });
    }
  }
};

template <class Space, class System, class Tasks>
void solve_tasks_alone(const Space& space, const System& system, const Tasks& tasks, bool gathers) {
  if (gathers) parallel::run_alone(space, System::names.sequential, SolveTasksAlone<System, true>{system, tasks});
  else parallel::run_alone(space, System::names.sequential, SolveTasksAlone<System, false>{system, tasks});
}

template <class Space, class System>
void solve_sequentially(const Space& space, const System& system, bool gathers, bool backward) {
  if (gathers) return gather_sequentially(space, system, backward);
  parallel::run_alone(space, System::names.sequential, SolveSequentially<System, false>{system, backward});
}

}  // namespace terrace::triangular
