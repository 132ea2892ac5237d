// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fronts with very many children: sums between them, whose rows are those of what they sum.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "algorithms/ldlt/front_tree.hpp"
#include "reference/symmetric_pattern.hpp"

namespace terrace {
namespace {

using ldlt::FrontTree;
using reference::Neighbours;

/// Many vertices that know up to `entries` of a few dense rows each, and nothing else.
Neighbours arrow(int size, int dense, int entries) {
  reference::Random random(1);
  Neighbours neighbours(static_cast<std::size_t>(size + dense));
  for (int v = 0; v < size; ++v)
    for (int k = 0; k < entries; ++k) reference::connect(neighbours, v, size + reference::below(random, dense));
  for (int d = 1; d < dense; ++d) reference::connect(neighbours, size + d - 1, size + d);
  return neighbours;
}

FrontTree tree_of(const Neighbours& neighbours) {
  const auto graph = sparse::separate_vertices(reference::host_graph(neighbours));
  return ldlt::build_fronts(graph, reference::natural_order(neighbours.size()), ldlt::tuned_amalgamation(0));
}

std::set<int> contribution_rows(const FrontTree& tree, int front) {
  return {tree.rows_begin(front) + tree.columns_of(front), tree.rows_begin(front) + tree.rows_of(front)};
}

int max_children(const FrontTree& tree) {
  std::size_t most = 0;
  for (int f = 0; f < tree.fronts(); ++f) most = std::max(most, tree.child_map[f + 1] - tree.child_map[f]);
  return static_cast<int>(most);
}

void expect_postorder(const FrontTree& tree) {
  std::vector<int> first(static_cast<std::size_t>(tree.fronts()));  // of each subtree
  for (int f = 0; f < tree.fronts(); ++f) {
    first[f] = f;
    for (std::size_t c = tree.child_map[f]; c < tree.child_map[f + 1]; ++c) {
      const int child = tree.children[c];
      ASSERT_LT(child, f);
      ASSERT_EQ(tree.parent[child], f);
      first[f] = std::min(first[f], first[child]);
    }
    int behind = first[f];  // subtrees of the children follow one another, without a gap
    for (std::size_t c = tree.child_map[f]; c < tree.child_map[f + 1]; ++c) {
      ASSERT_EQ(first[tree.children[c]], behind);
      behind = tree.children[c] + 1;
    }
    ASSERT_EQ(behind, f);
  }
}

void expect_sums(const FrontTree& tree) {
  for (int f = 0; f < tree.fronts(); ++f) {
    ASSERT_TRUE(std::is_sorted(tree.rows_begin(f), tree.rows_begin(f) + tree.rows_of(f)));
    std::set<int> gathered;
    for (std::size_t c = tree.child_map[f]; c < tree.child_map[f + 1]; ++c)
      gathered.merge(contribution_rows(tree, tree.children[c]));
    const std::set<int> rows(tree.rows_begin(f), tree.rows_begin(f) + tree.rows_of(f));
    if (tree.columns_of(f) == 0) EXPECT_EQ(rows, gathered);
    else EXPECT_TRUE(std::includes(rows.begin(), rows.end(), gathered.begin(), gathered.end()));
  }
}

/// The fronts with own columns, which must be those that were there before.
std::vector<std::vector<int>> rows_of_fronts(const FrontTree& tree) {
  std::vector<std::vector<int>> rows;
  for (int f = 0; f < tree.fronts(); ++f)
    if (tree.columns_of(f) > 0) rows.emplace_back(tree.rows_begin(f), tree.rows_begin(f) + tree.rows_of(f));
  return rows;
}

double contribution_entries(const FrontTree& tree) {
  double entries = 0;
  for (int f = 0; f < tree.fronts(); ++f)
    entries += static_cast<double>(tree.contribution_rows_of(f)) * tree.contribution_rows_of(f);
  return entries;
}

TEST(SumChildren, GivesFrontsFewChildrenAndSumsWhatTheyLeave) {
  const std::map<std::string, Neighbours> patterns{
      {"star", arrow(5000, 1, 1)}, {"three dense rows", arrow(5000, 3, 2)}, {"two hundred", arrow(3000, 200, 30)}};
  for (const auto& [name, neighbours] : patterns) {
    SCOPED_TRACE(name);
    const FrontTree before = tree_of(neighbours);
    ASSERT_GT(max_children(before), 1000);
    const FrontTree after = ldlt::sum_children(before);
    EXPECT_LE(max_children(after), 64);
    expect_postorder(after);
    expect_sums(after);
    EXPECT_EQ(rows_of_fronts(after), rows_of_fronts(before));
    EXPECT_EQ(after.original, before.original);
    EXPECT_EQ(after.first_column.back(), before.first_column.back());
    EXPECT_EQ(after.entries, before.entries);
    EXPECT_EQ(after.stored_entries, before.stored_entries);
    EXPECT_LE(contribution_entries(after), 6 * contribution_entries(before) + 1024 * 200);
  }
}

TEST(SumChildren, LeavesChildrenAloneWhoseSumWouldBeFarLarger) {
  const FrontTree before = tree_of(arrow(300, 10000, 40));  // hardly two share a row
  const FrontTree after = ldlt::sum_children(before);
  EXPECT_LE(contribution_entries(after), 6 * contribution_entries(before));
  expect_postorder(after);
  expect_sums(after);
}

TEST(SumChildren, LeavesOtherTreesAsTheyAre) {
  reference::Random random(3);
  for (const int size : {0, 1, 2, 60}) {
    const FrontTree before = tree_of(reference::random_pattern(random, size, 2 * size));
    const FrontTree after = ldlt::sum_children(before);
    EXPECT_EQ(after.parent, before.parent);
    EXPECT_EQ(after.rows, before.rows);
  }
  EXPECT_EQ(ldlt::sum_children(tree_of(arrow(64, 1, 1))).fronts(), 65 - 1);  // the last leaf shares the root's front
}

}  // namespace
}  // namespace terrace
