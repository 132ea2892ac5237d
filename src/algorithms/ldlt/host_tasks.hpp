// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a host that claim the tasks of a schedule, and wait for what each depends on.
//
// Cells hold how far each tile of a shared front has come; a unit is done when none of its tasks is left. Whatever was
// written before a cell was raised is seen by those that waited for it.
#pragma once

#include "algorithms/ldlt/host_schedule.hpp"
#include "parallel/run_alone.hpp"

namespace terrace::ldlt {

/// For kernels.
struct HostProgress {
  int* claimed;
  int* left;   // by unit: tasks
  int* cells;  // see HostSchedule::tiles

  static void wait_until(const auto& condition) {
    for (int turns = 0; !condition(); parallel::wait_a_little(turns)) {
    }
  }
  void wait_for_units(const IntLists& lists, int unit) const {
    for (std::size_t k = lists.map[unit]; k < lists.map[static_cast<std::size_t>(unit) + 1]; ++k)
      wait_until([&] { return parallel::acquire_load(left[lists.entries[k]]) == 0; });
  }
};

/// The cells of one shared front.
struct FrontProgress {
  int* cells;
  FrontTiles tiles;

  int* of_tile(int tile) const { return cells + tile; }
  int* of_column(int block) const { return cells + tiles.count() + block; }
  int* of_contribution(int block) const { return cells + tiles.count() + tiles.own() + block; }

  static void wait(const int* cell, int least) {
    HostProgress::wait_until([&] { return parallel::acquire_load(*cell) >= least; });
  }
  static void raise(int* cell, int to) { parallel::release_store(*cell, to); }
};

struct PrepareTasks {
  HostProgress progress;
  const HostSchedule* schedule;
  const std::vector<HostTask>* tasks;

  void operator()(int) const {
    *progress.claimed = 0;
    std::fill_n(progress.left, schedule->units.size(), 0);
    std::fill_n(progress.cells, schedule->tiles.back(), 0);
    for (const auto& task : *tasks) ++progress.left[task.unit];
  }
};

/// `Work` has begin(worker), run(task) for what that gave, and end().
template <class Work>
struct ClaimTasks {
  HostProgress progress;
  const std::vector<HostTask>* tasks;
  Work work;

  void operator()(int worker) const {
    const auto count = static_cast<int>(tasks->size());
    auto mine = work.begin(worker);
    for (int t; (t = parallel::fetch_increment(*progress.claimed)) < count;) {
      const HostTask& task = (*tasks)[t];
      work.run(mine, task);
      parallel::release_decrement(progress.left[task.unit]);
    }
    work.end(mine);
  }
};

/// As many threads as the schedule was made for; fewer do as well, and one where the caller wants one.
template <class Space, class Work>
void run_tasks(const Space& space, const char* label, const HostSchedule& schedule, const std::vector<HostTask>& tasks,
               const HostProgress& progress, const Work& work, bool one_thread = false) {
  parallel::run_alone(space, "terrace::ldlt::prepare_tasks", PrepareTasks{progress, &schedule, &tasks});
  const ClaimTasks<Work> claim{progress, &tasks, work};
  if (schedule.threads == 1 || one_thread) return parallel::run_alone(space, label, claim);
  Kokkos::RangePolicy<Space> policy(space, 0, schedule.threads);
  Kokkos::parallel_for(label, policy.set_chunk_size(1), claim);
}

}  // namespace terrace::ldlt
