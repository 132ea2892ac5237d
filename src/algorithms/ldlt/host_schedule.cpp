// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ldlt/host_schedule.hpp"

#include <algorithm>

namespace terrace::ldlt {
namespace {

/// Fronts of even and of odd depth take turns: what a front hands on lies on the one stack while what it takes is on
/// top of the other. In a postorder the children of a front are the last ones on theirs.
template <class Size>
void place(const FrontTree& tree, const std::vector<char>& is_odd, const HostSchedule& schedule, const Size& size,
           HandOver& hand_over) {
  hand_over.position.assign(tree.fronts(), 0);
  for (const auto& unit : schedule.units) {
    std::size_t top[2] = {0, 0}, most[2] = {0, 0};
    for (int f = unit.begin; f < unit.end; ++f) {
      const int odd = is_odd[f];
      if (schedule.stays_in_unit(tree, f)) {
        hand_over.position[f] = top[odd];
        top[odd] += size(f);
        most[odd] = std::max(most[odd], top[odd]);
      } else {
        hand_over.position[f] = hand_over.shared;
        hand_over.shared += size(f);
      }
      for (std::size_t c = tree.child_map[f]; c < tree.child_map[f + 1]; ++c)
        if (const int child = tree.children[c]; schedule.stays_in_unit(tree, child)) {
          top[1 - odd] = hand_over.position[child];
          break;
        }
    }
    for (int f = unit.begin; f < unit.end; ++f)
      if (is_odd[f] && schedule.stays_in_unit(tree, f)) hand_over.position[f] += most[0];
    hand_over.stack = std::max(hand_over.stack, most[0] + most[1]);
  }
}

/// Where neighbouring rows of a front are neighbours in its parent too: sums over them need no look at their places.
std::vector<int> find_runs(const FrontPlan& plan) {
  const FrontTree& tree = plan.tree;
  std::vector<int> run_end(tree.rows.size(), 0);
  for (int f = 0; f < tree.fronts(); ++f) {
    const int below = tree.contribution_rows_of(f);
    const std::size_t begin = tree.row_map[f + 1] - static_cast<std::size_t>(below);
    for (int r = below - 1; r >= 0; --r) {
      const std::size_t k = begin + static_cast<std::size_t>(r);
      const bool goes_on = r + 1 < below && plan.place_in_parent[k + 1] == plan.place_in_parent[k] + 1;
      run_end[k] = goes_on ? run_end[k + 1] : r + 1;
    }
  }
  return run_end;
}

}  // namespace

void place_on_stacks(const FrontTree& tree, HostSchedule& schedule) {
  std::vector<char> is_odd(tree.fronts(), 0);
  for (int f = tree.fronts() - 1; f >= 0; --f)
    if (tree.parent[f] >= 0) is_odd[f] = !is_odd[tree.parent[f]];
  const auto numbers = [&](int f) {
    return ContributionLayout(FrontTiles::of_factorization(tree.rows_of(f), tree.columns_of(f))).size();
  };
  place(tree, is_odd, schedule, numbers, schedule.contributions);
  const auto rows = [&](int f) { return static_cast<std::size_t>(tree.contribution_rows_of(f)); };
  place(tree, is_odd, schedule, rows, schedule.updates);
}

HostSchedule schedule_fronts(const FrontPlan& plan, const HostCut& cut) {
  HostSchedule schedule;
  schedule.threads = cut.threads;
  divide_fronts(plan.tree, cut, schedule);
  schedule.run_end = find_runs(plan);
  place_on_stacks(plan.tree, schedule);
  list_tasks(plan.tree, schedule);
  for (int f = 0; f < plan.tree.fronts(); ++f)  // a backward solve takes all rows of one front
    schedule.updates.stack =
        std::max(schedule.updates.stack, static_cast<std::size_t>(plan.tree.contribution_rows_of(f)));
  return schedule;
}

std::size_t HostSchedule::bytes_held() const {
  const std::size_t ints = unit_of.size() + run_end.size() + children.entries.size() + parents.entries.size();
  const std::size_t sizes =
      children.map.size() + parents.map.size() + contributions.position.size() + updates.position.size() + tiles.size();
  return ints * sizeof(int) + sizes * sizeof(std::size_t) + units.size() * sizeof(HostUnit) +
         (factorize.size() + forward.size() + backward.size()) * sizeof(HostTask);
}

}  // namespace terrace::ldlt
