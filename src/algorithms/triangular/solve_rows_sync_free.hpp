// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution without barriers, by rows: tasks in level order, each waiting for the tasks it needs.
//
// Every task has a flag that says in which phase it was last finished. A worker claims tasks from the counter; for
// each it watches the flags of its predecessors, one after the other, then solves its rows and sets its own
// flag with release semantics. Flags rather than the values themselves: one flag serves any number of right-hand
// sides, x may alias b, nothing has to be cleared, and a NaN is just a value (docs/adr/0004).
//
// No thread ever sits in an inner loop that only another lane of its own warp could end: one turn of the
// outer loop looks at the flags once, so lanes that can go on do, also where a warp has one program counter.
//
// Deterministic: each sum is taken in the order of its row.
#pragma once

#include "algorithms/triangular/row_kernels.hpp"
#include "algorithms/triangular/tasks.hpp"
#include "algorithms/triangular/work_counter.hpp"
#include "parallel/functor_as_argument.hpp"

namespace terrace::triangular {

template <class System>
struct SolveRowsSyncFree {
  using Ordinal = typename System::Ordinal;
  using Offset = typename System::Offset;

  System system;
  Tasks<Ordinal, Offset> tasks;
  unsigned* finished;  // by task; by row when a task is one row
  WorkCounter* counter;
  unsigned workers;

  struct Claim {
    Ordinal place;
    Ordinal flag;  // whose flag this task sets
    Offset next_predecessor;
    Offset end_predecessors;
    const Ordinal* predecessors;
  };

  KOKKOS_FUNCTION bool claim(Claim& mine) const {
    const unsigned number = parallel::fetch_increment(counter->next);
    if (number >= static_cast<unsigned>(tasks.count)) return false;
    mine.place = static_cast<Ordinal>(number);
    if (tasks.predecessor_map) {
      mine.flag = tasks.task_at(mine.place);
      mine.next_predecessor = tasks.predecessor_map[mine.flag];
      mine.end_predecessors = tasks.predecessor_map[mine.flag + 1];
      mine.predecessors = tasks.predecessors;
    } else {
      mine.flag = tasks.order ? tasks.order[mine.place] : tasks.positions.of(mine.place);
      const Ordinal row = tasks.reordered ? mine.place : mine.flag;
      mine.next_predecessor = system.pattern.begin(row);
      mine.end_predecessors = system.pattern.end(row);
      mine.predecessors = system.pattern.entries;
    }
    return true;
  }

  /// Goes as far as it can without waiting; true when nothing is left to wait for.
  KOKKOS_FUNCTION bool is_ready(Claim& mine, unsigned mark) const {
    while (mine.next_predecessor < mine.end_predecessors &&
           parallel::acquire_load(finished[mine.predecessors[mine.next_predecessor]]) == mark)
      ++mine.next_predecessor;
    return mine.next_predecessor == mine.end_predecessors;
  }

  KOKKOS_FUNCTION void solve_and_publish(const Claim& mine, unsigned mark) const {
    tasks.gather(system, mine.place);
    parallel::release_store(finished[mine.flag], mark);
  }

  KOKKOS_FUNCTION void operator()(unsigned) const {
    const unsigned mark = WorkCounter::finished_mark(*counter);
    Claim mine;
    int turns = 0;
    bool working = claim(mine);
    while (working) {
      if (is_ready(mine, mark)) {
        solve_and_publish(mine, mark);
        working = claim(mine);
      } else {
        parallel::wait_a_little(turns);
      }
    }
    WorkCounter::retire(*counter, workers);
  }
};

template <class Space, class System, class Ordinal, class Offset>
void solve_rows_sync_free(const Space& space, const System& system, const Tasks<Ordinal, Offset>& tasks,
                          unsigned* finished, WorkCounter* counter) {
  const unsigned workers = number_of_workers(space, static_cast<std::size_t>(tasks.count));
  const Kokkos::RangePolicy<Space> each_worker(space, 0u, workers);
  Kokkos::parallel_for(System::names.sync_free_rows, parallel::functor_as_argument(each_worker),
                       SolveRowsSyncFree<System>{system, tasks, finished, counter, workers});
}

}  // namespace terrace::triangular
