// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>

#include "algorithms/ldlt/front_plan.hpp"

namespace terrace::ldlt {
namespace {

/// Just below the parent's level.
void assign_front_levels(FrontPlan& plan) {
  const FrontTree& tree = plan.tree;
  std::vector<int> depth(tree.fronts(), 0);
  int deepest = -1;
  for (int f = tree.fronts() - 1; f >= 0; --f) {
    depth[f] = tree.parent[f] < 0 ? 0 : depth[tree.parent[f]] + 1;
    deepest = std::max(deepest, depth[f]);
  }
  plan.level_map.assign(static_cast<std::size_t>(deepest) + 2, 0);
  for (const int d : depth) ++plan.level_map[deepest - d + 1];
  std::partial_sum(plan.level_map.begin(), plan.level_map.end(), plan.level_map.begin());
  plan.by_level.resize(depth.size());
  std::vector<int> next(plan.level_map.begin(), plan.level_map.end() - 1);
  for (int f = 0; f < tree.fronts(); ++f) plan.by_level[next[deepest - depth[f]]++] = f;
  for (int level = 0; level <= deepest; ++level)
    std::stable_sort(plan.by_level.begin() + plan.level_map[level], plan.by_level.begin() + plan.level_map[level + 1],
                     [&](int a, int b) { return tree.rows_of(a) > tree.rows_of(b); });
}

/// Where each front has so many numbers of its own while its level and the next one are worked on; and how many all
/// take. Levels take turns at the two ends of the memory.
template <class SizeOf>
std::size_t place_by_turns(const FrontPlan& plan, const SizeOf& size_of, std::vector<std::size_t>& place) {
  std::vector<std::size_t> used(static_cast<std::size_t>(plan.levels()) + 1, 0);
  for (int level = 0; level < plan.levels(); ++level)
    for (int k = plan.level_map[level]; k < plan.level_map[level + 1]; ++k) {
      place[plan.by_level[k]] = used[level];
      used[level] += size_of(plan.by_level[k]);
    }
  std::size_t size = 0;
  for (int level = 0; level < plan.levels(); ++level) size = std::max(size, used[level] + used[level + 1]);
  for (int level = 1; level < plan.levels(); level += 2)
    for (int k = plan.level_map[level]; k < plan.level_map[level + 1]; ++k)
      place[plan.by_level[k]] += size - used[level];
  return size;
}

}  // namespace

FrontPlan plan_fronts(FrontTree tree, int threads) {
  FrontPlan plan;
  plan.tree = std::move(tree);
  const int fronts = plan.tree.fronts();
  plan.place_in_parent = find_places_in_parents(plan.tree, threads);
  plan.panel_map.assign(1, 0);
  for (int f = 0; f < fronts; ++f)
    plan.panel_map.push_back(plan.panel_map.back() + static_cast<std::size_t>(plan.tree.rows_of(f)) *
                                                         static_cast<std::size_t>(plan.tree.columns_of(f)));
  assign_front_levels(plan);
  const auto rows_of = [&](int f) { return plan.tree.contribution_rows_of(f); };
  plan.contribution.assign(fronts, 0);
  plan.workspace = place_by_turns(
      plan, [&](int f) { return static_cast<std::size_t>(PackedColumns{rows_of(f)}.size()); }, plan.contribution);
  plan.update_map.assign(static_cast<std::size_t>(fronts) + 1, 0);
  plan.update_map.back() = place_by_turns(
      plan, [&](int f) { return static_cast<std::size_t>(rows_of(f)); }, plan.update_map);
  return plan;
}

}  // namespace terrace::ldlt
