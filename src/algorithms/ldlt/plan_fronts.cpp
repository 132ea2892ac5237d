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

void place_panels(FrontPlan& plan, PanelOrder order) {
  const FrontTree& tree = plan.tree;
  plan.panel_map.assign(static_cast<std::size_t>(tree.fronts()) + 1, 0);
  std::size_t& next = plan.panel_map.back();
  for (int k = 0; k < tree.fronts(); ++k) {
    const int f = order == PanelOrder::Levels ? plan.by_level[k] : k;
    plan.panel_map[f] = next;
    next += static_cast<std::size_t>(tree.rows_of(f)) * static_cast<std::size_t>(tree.columns_of(f));
  }
}

/// Where each front has so many numbers of its own while its level and the next one are worked on; and where all of
/// them end. Levels take turns at the two ends of the memory, of which each may use what lies from first_free(level)
/// on, later ones no more than earlier ones.
template <class SizeOf, class FirstFree>
std::size_t place_by_turns(const FrontPlan& plan, const SizeOf& size_of, const FirstFree& first_free,
                           std::vector<std::size_t>& place) {
  std::vector<std::size_t> used(static_cast<std::size_t>(plan.levels()) + 1, 0);
  const auto for_each = [&](int level, const auto& visit) {
    for (int k = plan.level_map[level]; k < plan.level_map[level + 1]; ++k) visit(plan.by_level[k]);
  };
  for (int level = 0; level < plan.levels(); ++level)
    for_each(level, [&](int f) {
      place[f] = used[level];
      used[level] += size_of(f);
    });
  std::size_t end = 0;
  for (int level = 0; level < plan.levels(); ++level) {
    const int at_the_beginning = level % 2 == 0 ? level : level + 1;
    end = std::max(end, first_free(at_the_beginning) + used[level] + used[level + 1]);
  }
  for (int level = 0; level < plan.levels(); ++level) {
    const std::size_t first = level % 2 == 0 ? first_free(level) : end - used[level];
    for_each(level, [&](int f) { place[f] += first; });
  }
  return end;
}

}  // namespace

FrontPlan plan_fronts(FrontTree tree, int threads, PanelOrder order) {
  FrontPlan plan;
  plan.tree = std::move(tree);
  const int fronts = plan.tree.fronts();
  plan.place_in_parent = find_places_in_parents(plan.tree, threads);
  assign_front_levels(plan);
  place_panels(plan, order);
  const std::size_t panels = plan.panel_numbers();
  const auto rows_of = [&](int f) { return plan.tree.contribution_rows_of(f); };
  plan.contribution.assign(fronts, 0);
  const std::size_t end = place_by_turns(
      plan, [&](int f) { return static_cast<std::size_t>(PackedColumns{rows_of(f)}.size()); },
      [&](int level) {  // behind the panels of the next level
        return order == PanelOrder::Levels && level + 2 < plan.levels()
                   ? plan.panel_map[plan.by_level[plan.level_map[level + 2]]]
                   : panels;
      },
      plan.contribution);
  plan.workspace = end - panels;
  plan.update_map.assign(static_cast<std::size_t>(fronts) + 1, 0);
  plan.update_map.back() = place_by_turns(
      plan, [&](int f) { return static_cast<std::size_t>(rows_of(f)); }, [](int) { return std::size_t(0); },
      plan.update_map);
  return plan;
}

}  // namespace terrace::ldlt
