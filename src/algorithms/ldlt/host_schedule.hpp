// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread does what in a multifrontal factorization on a host, and where contribution blocks lie.
//
// The fronts are divided into units. A run is a range of consecutive fronts that one thread works off, with stacks of
// its own for what they hand to each other: most runs are subtrees, or several that stand side by side. A shared front
// is large and above the subtrees; its tiles are tasks of their own. Threads claim tasks in a fixed order, the largest
// subtrees first, then what is above them in postorder, and wait for those before them that they depend on: whoever
// has claimed one is at work, so that nobody waits for ever, however few threads come.
//
// Which sums are made, and in which order, does not depend on the units; they may depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "algorithms/ldlt/front_plan.hpp"
#include "algorithms/ldlt/front_tiles.hpp"

namespace terrace::ldlt {

/// Fronts `begin` to `end`; a shared front is alone.
struct HostUnit {
  int begin, end;
  bool is_shared;
};

/// Of a shared front: a tile, or everything in a block column. Of a run: all.
struct HostTask {
  enum Kind { Run, Assemble, Tile, AssembleContribution, ContributionTile };

  int unit;
  Kind kind;
  int row, column;  // tile and block column
};

/// Lists of numbers, one after the other.
struct IntLists {
  std::vector<std::size_t> map{0};
  std::vector<int> entries;
};

/// Where what a front hands to its parent lies: on the stacks of the thread that works off the run, or, where the
/// parent is in another unit, in memory that all threads share.
struct HandOver {
  std::vector<std::size_t> position;  // by front
  std::size_t stack = 0;              // numbers for each thread
  std::size_t shared = 0;
};

struct HostSchedule {
  int threads = 1;
  std::vector<HostUnit> units;  // subtrees, and then what is above them, in postorder
  int subtrees = 0;             // units of the first kind
  std::vector<int> unit_of;     // by front
  IntLists children, parents;   // by unit: the units that fronts of it take from, and hand to
  std::vector<int> run_end;  // of each row in tree.rows: where the run of neighbours in the parent ends that it is in
  HandOver contributions;    // numbers
  HandOver updates;          // of a forward solve: rows
  std::vector<std::size_t> tiles;  // units + 1: cells of shared fronts
  std::vector<HostTask> factorize, forward, backward;

  bool stays_in_unit(const FrontTree& tree, int front) const {
    return tree.parent[front] >= 0 && unit_of[tree.parent[front]] == unit_of[front];
  }
  std::size_t bytes_held() const;
};

/// How the fronts are divided.
struct HostCut {
  int threads;
  double runs_per_thread = 8;  // that subtrees are cut into
  double least_shared = 4e6;   // operations of a front that is worth sharing

  explicit HostCut(int threads_that_come) : threads(threads_that_come) {}

  /// No more threads than there is work for: waking one takes some microseconds.
  static HostCut for_work(int max_threads, double operations) {
    constexpr double operations_per_thread = 2e6;
    return HostCut(static_cast<int>(std::clamp(operations / operations_per_thread, 1.0, double(max_threads))));
  }
};

HostSchedule schedule_fronts(const FrontPlan& plan, const HostCut& cut);

// The steps.

void divide_fronts(const FrontTree& tree, const HostCut& cut, HostSchedule& schedule);
void place_on_stacks(const FrontTree& tree, HostSchedule& schedule);
void list_tasks(const FrontTree& tree, HostSchedule& schedule);

}  // namespace terrace::ldlt
