// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of a host's schedule: what is below a grain of work becomes runs, what is above it shared fronts and, where
// fronts are too small for that, runs again.
#include <algorithm>
#include <limits>
#include <numeric>

#include "algorithms/ldlt/host_schedule.hpp"

namespace terrace::ldlt {
namespace {

struct Work {
  std::vector<double> own, subtree;
  std::vector<int> first;  // front of each subtree
  double total = 0;
};

/// Operations, and some for each entry that is moved and each front that is begun.
Work estimate_work(const FrontTree& tree) {
  constexpr double per_front = 5e3, per_entry = 10;
  Work work;
  work.own.resize(tree.fronts());
  work.first.resize(tree.fronts());
  std::iota(work.first.begin(), work.first.end(), 0);
  for (int f = 0; f < tree.fronts(); ++f) {
    const double rows = tree.rows_of(f), columns = tree.columns_of(f), below = rows - columns;
    work.own[f] = columns * (below * rows + columns * columns / 3) + per_entry * rows * rows + per_front;
    work.total += work.own[f];
  }
  work.subtree = work.own;
  for (int f = 0; f < tree.fronts(); ++f)
    if (const int p = tree.parent[f]; p >= 0) {
      work.subtree[p] += work.subtree[f];
      work.first[p] = std::min(work.first[p], work.first[f]);
    }
  return work;
}

/// Subtrees first, those with more work before others.
void sort_units(const Work& work, double grain, HostSchedule& schedule) {
  auto& units = schedule.units;
  const auto of_unit = [&](const HostUnit& unit) {
    return std::accumulate(work.own.begin() + unit.begin, work.own.begin() + unit.end, 0.0);
  };
  std::vector<std::pair<double, HostUnit>> below;
  std::vector<HostUnit> above;
  for (const auto& unit : units) {
    if (work.subtree[unit.end - 1] <= grain) below.emplace_back(of_unit(unit), unit);
    else above.push_back(unit);
  }
  std::stable_sort(below.begin(), below.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  schedule.subtrees = static_cast<int>(below.size());
  units.clear();
  for (const auto& [size, unit] : below) units.push_back(unit);
  units.insert(units.end(), above.begin(), above.end());
}

void list_neighbours(const FrontTree& tree, HostSchedule& schedule) {
  std::vector<std::pair<int, int>> edges;  // parent, child
  for (int f = 0; f < tree.fronts(); ++f) {
    if (tree.parent[f] < 0 || schedule.stays_in_unit(tree, f)) continue;
    const std::pair<int, int> edge(schedule.unit_of[tree.parent[f]], schedule.unit_of[f]);
    if (edges.empty() || edges.back() != edge) edges.push_back(edge);
  }
  const auto fill = [&](IntLists& lists) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    lists.map.assign(schedule.units.size() + 1, 0);
    for (const auto& [unit, other] : edges) {
      ++lists.map[static_cast<std::size_t>(unit) + 1];
      lists.entries.push_back(other);
    }
    std::partial_sum(lists.map.begin(), lists.map.end(), lists.map.begin());
  };
  fill(schedule.children);
  for (auto& [unit, other] : edges) std::swap(unit, other);
  fill(schedule.parents);
}

}  // namespace

void divide_fronts(const FrontTree& tree, const HostCut& cut, HostSchedule& schedule) {
  const Work work = estimate_work(tree);
  const double grain =
      cut.threads > 1 ? work.total / (cut.threads * cut.runs_per_thread) : std::numeric_limits<double>::infinity();
  const auto is_above = [&](int f) { return work.subtree[f] > grain; };
  const auto is_subtree = [&](int f) { return !is_above(f) && (tree.parent[f] < 0 || is_above(tree.parent[f])); };
  const auto is_shared = [&](int f) {
    return is_above(f) && work.own[f] >= cut.least_shared &&
           FrontTiles::of_factorization(tree.rows_of(f), tree.columns_of(f)).count() > 2;
  };
  auto& units = schedule.units;
  double in_run = 0;
  for (int f = 0; f < tree.fronts(); ++f) {
    const HostUnit last = units.empty() ? HostUnit{0, 0, true} : units.back();
    if (is_above(f)) {
      const bool goes_on = !last.is_shared && last.end == f && is_above(f - 1) && tree.parent[f - 1] == f;
      if (!is_shared(f) && goes_on) units.back().end = f + 1;
      else units.push_back({f, f + 1, is_shared(f)});
    } else if (is_subtree(f)) {
      const bool goes_on =
          !last.is_shared && last.end == work.first[f] && !is_above(last.end - 1) && in_run + work.subtree[f] <= grain;
      in_run = goes_on ? in_run + work.subtree[f] : work.subtree[f];
      if (goes_on) units.back().end = f + 1;
      else units.push_back({work.first[f], f + 1, false});
    }
  }
  sort_units(work, grain, schedule);
  schedule.unit_of.resize(tree.fronts());
  for (std::size_t u = 0; u < units.size(); ++u)
    std::fill(schedule.unit_of.begin() + units[u].begin, schedule.unit_of.begin() + units[u].end, static_cast<int>(u));
  list_neighbours(tree, schedule);
}

}  // namespace terrace::ldlt
