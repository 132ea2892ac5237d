// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fronts against the pattern of L by elimination.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "algorithms/ldlt/front_tree.hpp"
#include "reference/symmetric_pattern.hpp"
#include "sparse/elimination_tree.hpp"
#include "sparse/order_cost.hpp"

namespace terrace {
namespace {

using ldlt::FrontTree;
using ldlt::FrontUser;
using reference::Neighbours;

std::set<int> rows_of(const FrontTree& tree, int front) {
  return {tree.rows_begin(front), tree.rows_begin(front) + tree.rows_of(front)};
}

void expect_numbering(const FrontTree& tree, int unknowns) {
  ASSERT_EQ(tree.unknowns(), unknowns);
  auto sorted = tree.original;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < unknowns; ++i) ASSERT_EQ(sorted[i], i);
  std::vector<int> descendants(tree.parent.size(), 1);
  for (int f = 0; f < tree.fronts(); ++f) {
    ASSERT_GT(tree.columns_of(f), 0);
    const int* rows = tree.rows_begin(f);
    ASSERT_TRUE(std::is_sorted(rows, rows + tree.rows_of(f)));
    for (int k = 0; k < tree.columns_of(f); ++k) ASSERT_EQ(rows[k], tree.first_column[f] + k);
    const int parent = tree.parent[f];
    if (parent < 0) {
      ASSERT_EQ(tree.contribution_rows_of(f), 0);
      continue;
    }
    ASSERT_GT(parent, f);
    ASSERT_GE(f - descendants[f] + 1, 0);
    descendants[parent] += descendants[f];
  }
  for (int f = 0; f < tree.fronts(); ++f) {  // subtrees are consecutive
    const int parent = tree.parent[f];
    ASSERT_TRUE(parent < 0 || f - descendants[f] >= parent - descendants[parent]);
  }
}

void expect_children(const FrontTree& tree) {
  for (int f = 0; f < tree.fronts(); ++f) {
    std::vector<int> expected;
    for (int g = 0; g < tree.fronts(); ++g)
      if (tree.parent[g] == f) expected.push_back(g);
    const auto begin = tree.children.begin();
    ASSERT_EQ(std::vector<int>(begin + static_cast<std::ptrdiff_t>(tree.child_map[f]),
                               begin + static_cast<std::ptrdiff_t>(tree.child_map[f + 1])),
              expected);
  }
}

/// Every entry of L has its place, contribution blocks have theirs in the parent, and without amalgamation nothing else
/// is stored.
void expect_rows(const FrontTree& tree, const Neighbours& l, bool is_exact) {
  for (int f = 0; f < tree.fronts(); ++f) {
    const auto rows = rows_of(tree, f);
    ASSERT_EQ(static_cast<int>(rows.size()), tree.rows_of(f)) << "rows repeat";
    std::set<int> needed;
    for (int j = tree.first_column[f]; j < tree.first_column[f + 1]; ++j) {
      needed.insert(j);
      needed.insert(l[j].begin(), l[j].end());
      const int stored = tree.rows_of(f) - (j - tree.first_column[f]);
      ASSERT_TRUE(!is_exact || static_cast<int>(l[j].size()) + 1 == stored) << "column " << j << " stores " << stored;
    }
    ASSERT_EQ(rows, needed);
    if (tree.parent[f] < 0) continue;
    const auto above = rows_of(tree, tree.parent[f]);
    for (int k = tree.columns_of(f); k < tree.rows_of(f); ++k) ASSERT_EQ(above.count(tree.rows_begin(f)[k]), 1u);
  }
}

void expect_counts(const FrontTree& tree, const Neighbours& l) {
  std::int64_t entries = 0, stored = 0;
  double operations = 0, stored_operations = 0;
  for (const auto& column : l) {
    const auto count = static_cast<std::int64_t>(column.size()) + 1;
    entries += count;
    operations += static_cast<double>(count * count);
  }
  for (int f = 0; f < tree.fronts(); ++f)
    for (int k = 0; k < tree.columns_of(f); ++k) {
      const std::int64_t count = tree.rows_of(f) - k;
      stored += count;
      stored_operations += static_cast<double>(count * count);
    }
  EXPECT_EQ(tree.entries, entries);
  EXPECT_EQ(tree.operations, operations);
  EXPECT_EQ(tree.stored_entries, stored);
  EXPECT_EQ(tree.stored_operations, stored_operations);
}

void expect_fronts(const Neighbours& neighbours, reference::Random& random) {
  const auto unknowns = static_cast<int>(neighbours.size());
  for (const bool is_compressed : {true, false}) {
    auto graph = reference::host_graph(neighbours);
    const auto compressed = is_compressed ? sparse::compress_graph(graph) : sparse::separate_vertices(std::move(graph));
    const auto order = reference::random_order(random, compressed.graph.vertices());
    const auto cost = sparse::cost_of(sparse::in_postorder(compressed, order));
    for (const auto& [factor, user] : {std::pair(0.0, FrontUser::Device), std::pair(1.0, FrontUser::Host),
                                       std::pair(1.0, FrontUser::Device), std::pair(3.0, FrontUser::Host)}) {
      SCOPED_TRACE("amalgamation " + std::to_string(factor) + (user == FrontUser::Host ? " host" : " device"));
      const FrontTree tree = ldlt::build_fronts(compressed, order, ldlt::tuned_amalgamation(factor, user));
      expect_numbering(tree, unknowns);
      expect_children(tree);
      const Neighbours l = reference::pattern_of_l(neighbours, tree.original);
      expect_rows(tree, l, factor == 0);
      expect_counts(tree, l);
      EXPECT_EQ(cost.entries, tree.entries);
      EXPECT_EQ(cost.operations, tree.operations);
      EXPECT_TRUE(factor > 0 || tree.stored_entries == tree.entries);
    }
  }
}

TEST(BuildFronts, HoldsThePatternOfLOfRandomPatterns) {
  reference::Random random(1);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const int n = 1 + reference::below(random, 14), edges = reference::below(random, 2 * n + 1);
    expect_fronts(round % 2 == 0 ? reference::random_pattern(random, n, edges)
                                 : reference::random_pattern_with_copies(random, n / 2 + 1, edges / 2, 3),
                  random);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(BuildFronts, HoldsThePatternOfLOfExtremePatterns) {
  reference::Random random(2);
  for (const auto& [name, neighbours] : reference::extreme_patterns()) {
    SCOPED_TRACE(name);
    expect_fronts(neighbours, random);
  }
}

TEST(BuildFronts, EliminatesInThePostorderOfTheOrderGiven) {
  // The tree of a chain that is eliminated from both ends towards the middle has two branches.
  const auto chain = sparse::separate_vertices(reference::host_graph({{1}, {0, 2}, {1, 3}, {2, 4}, {3}}));
  const FrontTree tree = ldlt::build_fronts(chain, {0, 4, 1, 3, 2}, {});
  EXPECT_EQ(tree.original.back(), 2);
  EXPECT_EQ(tree.entries, 9);
}

sparse::HostGraph chain_of(int vertices) {
  sparse::HostGraph graph;
  for (int v = 0; v < vertices; ++v) {
    if (v > 0) graph.entries.push_back(v - 1);
    if (v + 1 < vertices) graph.entries.push_back(v + 1);
    graph.row_map.push_back(graph.entries.size());
  }
  return graph;
}

TEST(BuildFronts, OfAChainOfAMillionTakesNoStackAndLittleTime) {
  const int n = 1000000;
  const auto graph = sparse::compress_graph(chain_of(n));
  const auto natural = reference::natural_order(n);
  for (const double factor : {0.0, 1.0}) {
    const auto start = std::chrono::steady_clock::now();
    const FrontTree tree = ldlt::build_fronts(graph, natural, ldlt::tuned_amalgamation(factor));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));  // quadratic: hours
    EXPECT_EQ(tree.entries, 2 * n - 1);
    EXPECT_EQ(tree.original, natural);
  }
}

TEST(BuildFronts, OfADiagonalOfAMillionAreRootsOfOneColumn) {
  const int n = 1000000;
  sparse::HostGraph diagonal;
  diagonal.row_map.assign(static_cast<std::size_t>(n) + 1, 0);
  const auto natural = reference::natural_order(n);
  const FrontTree tree = ldlt::build_fronts(sparse::compress_graph(diagonal), natural, ldlt::tuned_amalgamation(1));
  EXPECT_EQ(tree.fronts(), n);
  EXPECT_EQ(tree.stored_entries, n);
  EXPECT_EQ(tree.parent, std::vector<int>(natural.size(), -1));
}

int height_of(const FrontTree& tree) {
  std::vector<int> height(static_cast<std::size_t>(tree.fronts()), 1);
  int highest = 0;
  for (int f = 0; f < tree.fronts(); ++f) {
    highest = std::max(highest, height[f]);
    if (tree.parent[f] >= 0) height[tree.parent[f]] = std::max(height[tree.parent[f]], height[f] + 1);
  }
  return highest;
}

TEST(BuildFronts, HaveShortPathsForDevicesWhereFrontsAreFew) {
  const int n = 960;
  const auto graph = sparse::compress_graph(chain_of(n));
  const auto natural = reference::natural_order(n);
  const auto amalgamation = ldlt::tuned_amalgamation(1, FrontUser::Device);
  const FrontTree tree = ldlt::build_fronts(graph, natural, amalgamation);
  EXPECT_LE(height_of(tree), n / (amalgamation.rows_of_short_paths / 2));
  for (int f = 0; f < tree.fronts(); ++f) EXPECT_LE(tree.rows_of(f), amalgamation.rows_of_short_paths);
}

TEST(BuildFronts, OfAPathOfLargeFrontsAreFewThoughEachHasSmallChildren) {
  // Columns c_0, c_1, ... of nearly the same structure: all later ones, and 600 + k of others, one more each; before
  // each of them three leaves, which know it alone.
  const int length = 512, leaves = 3, others = 600;
  const int each = leaves + 1, first_other = length * each, n = first_other + others + length;
  Neighbours neighbours(static_cast<std::size_t>(n));
  const auto connect = [&](int i, int j) {
    neighbours[i].insert(j);
    neighbours[j].insert(i);
  };
  for (int k = 0; k < length; ++k) {
    const int column = k * each + leaves;
    for (int leaf = 0; leaf < leaves; ++leaf) connect(k * each + leaf, column);
    if (k + 1 < length) connect(column, column + each);
    for (int other = 0; other < others + k; ++other)
      if (k == 0 || other == others + k - 1) connect(column, first_other + other);
  }
  const auto natural = reference::natural_order(n);
  const FrontTree tree = ldlt::build_fronts(sparse::separate_vertices(reference::host_graph(neighbours)), natural,
                                            ldlt::tuned_amalgamation(1));
  EXPECT_LE(height_of(tree), 8);
  EXPECT_LE(tree.stored_entries, 1.1 * static_cast<double>(tree.entries));
}

}  // namespace
}  // namespace terrace
