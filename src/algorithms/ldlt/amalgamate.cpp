// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of columns that become fronts.
#include <algorithm>
#include <numeric>
#include <utility>

#include "algorithms/ldlt/front_tree.hpp"
#include "algorithms/ldlt/sort_few.hpp"
#include "sparse/elimination_tree.hpp"

namespace terrace::ldlt {
namespace {

/// Entries on and below the diagonal of `columns` columns, the first of which has `rows` rows.
std::int64_t trapezoid(std::int64_t columns, std::int64_t rows) { return columns * rows - columns * (columns - 1) / 2; }

/// Less than so many take no longer than a front of its own.
constexpr double few_operations = 1 << 18;

/// Groups while they merge: each knows its own columns, and who took it in.
struct Merging {
  ColumnGroups groups;
  std::vector<int> taken_by;

  explicit Merging(ColumnGroups alone) : groups(std::move(alone)), taken_by(groups.parent.size()) {
    std::iota(taken_by.begin(), taken_by.end(), 0);
  }

  int survivor(int group) {
    while (taken_by[group] != group) {
      taken_by[group] = taken_by[taken_by[group]];
      group = taken_by[group];
    }
    return group;
  }

  bool may_merge(int child, int parent, const Amalgamation& amalgamation) const {
    const std::int64_t columns = groups.columns[child] + groups.columns[parent];
    const std::int64_t rows = groups.columns[child] + groups.rows[parent];
    const std::int64_t stored = trapezoid(columns, rows);
    const std::int64_t zeros = stored - groups.entries[child] - groups.entries[parent];
    if (groups.rows[child] - groups.columns[child] == groups.rows[parent])
      return true;  // the same structure: not one entry of L more
    // A small child of a large front would pay for each column with a whole one of the front's, and would take from
    // the share of zeros that those children need which are as large as the front.
    const std::int64_t own = groups.columns[child];
    const std::int64_t added = own * (groups.rows[parent] - groups.rows[child] + own);
    if (static_cast<double>(own * rows * rows) > few_operations && 2 * added > trapezoid(own, rows)) return false;
    for (const auto& line : amalgamation.lines)
      if (columns <= line.columns) return static_cast<double>(zeros) <= line.zeros * static_cast<double>(stored);
    return false;
  }

  void merge(int child, int parent) {
    groups.columns[parent] += groups.columns[child];
    groups.rows[parent] += groups.columns[child];
    groups.entries[parent] += groups.entries[child];
    taken_by[child] = parent;
  }
};

Merging fundamental_groups(const std::vector<int>& parent, const std::vector<std::int64_t>& counts,
                           const std::vector<int>& weights) {
  const auto vertices = static_cast<int>(parent.size());
  std::vector<int> children(vertices, 0);
  for (const int p : parent)
    if (p >= 0) ++children[p];
  ColumnGroups groups;
  groups.group_of.resize(vertices);
  std::vector<int> last_vertex;
  for (auto* const numbers : {&groups.columns, &groups.rows, &groups.entries}) numbers->reserve(parent.size());
  last_vertex.reserve(parent.size());
  for (int v = 0; v < vertices; ++v) {
    const bool goes_on = v > 0 && parent[v - 1] == v && children[v] == 1 && counts[v - 1] - weights[v - 1] == counts[v];
    if (!goes_on) {
      groups.columns.push_back(0);
      groups.rows.push_back(counts[v]);
      groups.entries.push_back(0);
      last_vertex.push_back(v);
    }
    groups.group_of[v] = static_cast<int>(groups.columns.size()) - 1;
    groups.columns.back() += weights[v];
    groups.entries.back() += trapezoid(weights[v], counts[v]);
    last_vertex.back() = v;
  }
  for (const int last : last_vertex) groups.parent.push_back(parent[last] < 0 ? -1 : groups.group_of[parent[last]]);
  return Merging(std::move(groups));
}

/// The survivors, numbered anew in the same order.
ColumnGroups surviving_groups(Merging& merging) {
  const auto& all = merging.groups;
  const auto count = static_cast<int>(all.parent.size());
  std::vector<int> number(count, -1);
  ColumnGroups left;
  for (int g = 0; g < count; ++g) {
    if (merging.taken_by[g] != g) continue;
    number[g] = static_cast<int>(left.columns.size());
    left.columns.push_back(all.columns[g]);
    left.rows.push_back(all.rows[g]);
    left.entries.push_back(all.entries[g]);
  }
  for (int g = 0; g < count; ++g)
    if (merging.taken_by[g] == g)
      left.parent.push_back(all.parent[g] < 0 ? -1 : number[merging.survivor(all.parent[g])]);
  left.group_of.reserve(all.group_of.size());
  for (const int g : all.group_of) left.group_of.push_back(number[merging.survivor(g)]);
  return left;
}

/// Amalgamation::rows_of_short_paths.
void shorten_paths(ColumnGroups& groups, int most_rows) {
  const auto count = static_cast<int>(groups.parent.size());
  std::vector<int> depth(count, 0), fronts_at;
  for (int g = count - 1; g >= 0; --g) {
    if (groups.parent[g] >= 0) depth[g] = depth[groups.parent[g]] + 1;
    fronts_at.resize(std::max<std::size_t>(fronts_at.size(), static_cast<std::size_t>(depth[g]) + 1), 0);
    ++fronts_at[depth[g]];
  }
  std::vector<std::size_t> child_map;
  std::vector<int> children;
  sparse::list_children(groups.parent, child_map, children);
  std::vector<int> height(count, 1);  // of a group's subtree, as it is by now
  std::vector<int> highest;
  Merging merging(std::move(groups));
  for (int p = 0; p < count; ++p) {
    const auto begin = children.begin() + child_map[p], end = children.begin() + child_map[p + 1];
    for (auto child = begin; child != end; ++child) height[p] = std::max(height[p], height[*child] + 1);
    if (fronts_at[depth[p]] > Amalgamation::few_fronts) continue;
    std::int64_t rows = merging.groups.rows[p];
    highest.clear();
    for (auto child = begin; child != end; ++child)
      if (height[*child] + 1 == height[p]) {
        highest.push_back(*child);
        rows += merging.groups.columns[*child];
      }
    if (highest.empty() || rows > most_rows) continue;
    for (const int child : highest) merging.merge(child, p);
    --height[p];
  }
  groups = surviving_groups(merging);
}

}  // namespace

// Shares of zeros that were best for factorizations of grids and elasticity on two host cores and on an H200
// (terrace_perf_direct).
Amalgamation tuned_amalgamation(double factor, FrontUser user) {
  if (factor == 0) return {};
  return {{{8, 0.8 * factor}, {32, 0.4 * factor}, {96, 0.15 * factor}, {1 << 30, 0.05 * factor}},
          user == FrontUser::Device ? 48 : 0};
}

ColumnGroups group_columns(const std::vector<int>& parent, const std::vector<std::int64_t>& counts,
                           const std::vector<int>& weights_in_order, const Amalgamation& amalgamation) {
  Merging merging = fundamental_groups(parent, counts, weights_in_order);
  std::vector<std::size_t> child_map;
  std::vector<int> children;
  sparse::list_children(merging.groups.parent, child_map, children);
  const auto& groups = merging.groups;
  for (int p = 0; p < static_cast<int>(groups.parent.size()); ++p) {
    auto* const begin = children.data() + child_map[p];
    auto* const end = children.data() + child_map[p + 1];
    // The children that add the fewest zeros come first: those with the most rows.
    sort_few(begin, end,
             [&](int a, int b) { return groups.rows[a] - groups.columns[a] > groups.rows[b] - groups.columns[b]; });
    for (const int* child = begin; child < end; ++child)
      if (merging.may_merge(*child, p, amalgamation)) merging.merge(*child, p);
  }
  ColumnGroups left = surviving_groups(merging);
  if (amalgamation.rows_of_short_paths > 0) shorten_paths(left, amalgamation.rows_of_short_paths);
  return left;
}

}  // namespace terrace::ldlt
