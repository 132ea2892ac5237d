// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination trees, postorders and column counts against the pattern of L by elimination.
#include "sparse/elimination_tree.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "reference/symmetric_pattern.hpp"

namespace terrace {
namespace {

using reference::Neighbours;

std::vector<int> postorder(const std::vector<int>& parent) {
  return sparse::inverse_permutation(sparse::postorder_places(parent));
}

sparse::PermutedGraph permuted(const sparse::HostGraph& graph, const std::vector<int>& original) {
  return sparse::permuted_graph(graph, original, sparse::inverse_permutation(original));
}

sparse::PermutedGraph as_it_is(const sparse::HostGraph& graph) {
  return {graph.row_map, {graph.entries.begin(), graph.entries.end()}};
}

/// An order renumbered so that the tree's numbers are a postorder.
std::vector<int> in_postorder(const sparse::HostGraph& graph, const std::vector<int>& original) {
  std::vector<int> renumbered;
  for (const int v : postorder(sparse::elimination_tree(permuted(graph, original)))) renumbered.push_back(original[v]);
  return renumbered;
}

void expect_tree_and_counts(const Neighbours& neighbours, const std::vector<int>& order) {
  const sparse::HostGraph graph = reference::host_graph(neighbours);
  EXPECT_EQ(sparse::elimination_tree(permuted(graph, order)),
            reference::parents_of(reference::pattern_of_l(neighbours, order)));
  const auto original = in_postorder(graph, order);
  const auto in_order = permuted(graph, original);
  const Neighbours l = reference::pattern_of_l(neighbours, original);
  const auto parent = sparse::elimination_tree(in_order);
  EXPECT_EQ(parent, reference::parents_of(l));
  std::vector<int> weights(original.size());
  for (std::size_t v = 0; v < weights.size(); ++v) weights[v] = 1 + static_cast<int>(v % 3);
  const auto counts = sparse::column_counts(in_order, parent, weights);
  for (std::size_t j = 0; j < l.size(); ++j) {
    std::int64_t expected = weights[j];
    for (const int row : l[j]) expected += weights[row];
    ASSERT_EQ(counts[j], expected) << "column " << j;
  }
}

TEST(EliminationTree, AndColumnCountsAreThoseOfEliminationOnRandomPatterns) {
  reference::Random random(1);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const int n = 1 + reference::below(random, 16);
    expect_tree_and_counts(reference::random_pattern(random, n, reference::below(random, 2 * n + 1)),
                           reference::random_order(random, n));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(EliminationTree, AndColumnCountsAreThoseOfEliminationOnExtremePatterns) {
  reference::Random random(2);
  for (const auto& [name, neighbours] : reference::extreme_patterns()) {
    SCOPED_TRACE(name);
    expect_tree_and_counts(neighbours, reference::natural_order(neighbours.size()));
    expect_tree_and_counts(neighbours, reference::random_order(random, static_cast<int>(neighbours.size())));
  }
}

TEST(Postorder, ListsSubtreesConsecutivelyAndChildrenBeforeTheirParent) {
  reference::Random random(3);
  for (int round = 0; round < 1000; ++round) {
    const int n = reference::below(random, 20);
    std::vector<int> parent(static_cast<std::size_t>(n), -1), descendants(static_cast<std::size_t>(n), 1);
    for (int v = 0; v + 1 < n; ++v)
      if (reference::below(random, 5) > 0) parent[v] = v + 1 + reference::below(random, n - v - 1);
    for (int v = 0; v < n; ++v)
      if (parent[v] >= 0) descendants[parent[v]] += descendants[v];
    const auto order = postorder(parent);
    ASSERT_EQ(order.size(), parent.size());
    std::vector<int> place(parent.size(), -1);
    for (int i = 0; i < n; ++i) place[order[i]] = i;
    for (int v = 0; v < n; ++v) {
      ASSERT_GE(place[v], 0) << "vertex " << v << " is missing";
      if (parent[v] < 0) continue;
      // The subtree of v ends at v and lies within that of its parent.
      EXPECT_LT(place[v], place[parent[v]]);
      EXPECT_GT(place[v] - descendants[v], place[parent[v]] - descendants[parent[v]] - 1);
    }
  }
}

TEST(Postorder, TakesChildrenInTheOrderGiven) {
  const std::vector<int> parent{3, 3, 3, -1};
  EXPECT_EQ(postorder(parent), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(sparse::postorder(parent, {0, 0, 0, 0, 3}, {2, 0, 1}), (std::vector<int>{2, 0, 1, 3}));
}

sparse::HostGraph long_chain(int vertices) {
  sparse::HostGraph graph;
  for (int v = 0; v < vertices; ++v) {
    if (v > 0) graph.entries.push_back(v - 1);
    if (v + 1 < vertices) graph.entries.push_back(v + 1);
    graph.row_map.push_back(graph.entries.size());
  }
  return graph;
}

TEST(EliminationTree, OfAChainOfAMillionTakesNoStackAndLittleTime) {
  const int n = 1000000;
  const auto graph = long_chain(n);
  const std::vector<int> natural = reference::natural_order(n), ones(static_cast<std::size_t>(n), 1);
  const auto start = std::chrono::steady_clock::now();
  const auto parent = sparse::elimination_tree(as_it_is(graph));
  const auto order = postorder(parent);
  const auto counts = sparse::column_counts(as_it_is(graph), parent, ones);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));  // quadratic: hours
  EXPECT_EQ(order, natural);
  EXPECT_EQ(parent.front(), 1);
  EXPECT_EQ(parent.back(), -1);
  EXPECT_EQ(counts.front(), 2);
  EXPECT_EQ(counts.back(), 1);
}

TEST(EliminationTree, OfAChainWithAFullLastRowShortensItsPaths) {
  const int n = 200000;
  sparse::HostGraph graph;
  for (int v = 0; v < n; ++v) {
    if (v > 0 && v + 1 < n) graph.entries.push_back(v - 1);
    if (v + 2 < n) graph.entries.push_back(v + 1);
    for (int w = v + 1 < n ? n - 1 : 0; w < n && w != v; ++w) graph.entries.push_back(w);
    graph.row_map.push_back(graph.entries.size());
  }
  const auto natural = reference::natural_order(n);
  std::vector<int> chain(static_cast<std::size_t>(n), -1);
  for (int v = 0; v + 1 < n; ++v) chain[v] = v + 1;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(sparse::elimination_tree(as_it_is(graph)), chain);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));  // 2e10 steps otherwise
}

TEST(EliminationTree, OfAMillionSeparateVerticesIsAForestOfRoots) {
  const int n = 1000000;
  sparse::HostGraph graph;
  graph.row_map.assign(static_cast<std::size_t>(n) + 1, 0);
  const std::vector<int> natural = reference::natural_order(n), ones(static_cast<std::size_t>(n), 1);
  const auto parent = sparse::elimination_tree(as_it_is(graph));
  EXPECT_EQ(parent, std::vector<int>(parent.size(), -1));
  EXPECT_EQ(postorder(parent), natural);
  EXPECT_EQ(sparse::column_counts(as_it_is(graph), parent, ones), std::vector<std::int64_t>(parent.size(), 1));
}

}  // namespace
}  // namespace terrace
