// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coarse graphs against their definition.
#include "algorithms/ordering/coarsen.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "reference/symmetric_pattern.hpp"

namespace terrace {
namespace {

using ordering::CoarseGraph;
using ordering::WeightedGraph;

WeightedGraph weighted(const reference::Neighbours& neighbours, bool has_weights) {
  const auto graph = reference::host_graph(neighbours);
  WeightedGraph result;
  result.row_map.assign(graph.row_map.begin(), graph.row_map.end());
  result.entries = graph.entries;
  if (!has_weights) return result;
  for (int v = 0; v < graph.vertices(); ++v) {
    result.weights.push_back(1 + v % 5);
    for (int k = result.row_map[v]; k < result.row_map[v + 1]; ++k)
      result.edge_weights.push_back(1 + (v + result.entries[k]) % 7);
  }
  return result;
}

CoarseGraph coarse_graph(const WeightedGraph& fine, double max_weight, int threads) {
  parallel::HostTasks tasks(threads);
  CoarseGraph coarse;
  tasks.run([&] { coarse = ordering::coarsen(fine, max_weight, tasks); });
  return coarse;
}

/// Vertices of one or two members that are neighbours, whose weights and edges are the sums of theirs.
void expect_coarse(const WeightedGraph& fine, const CoarseGraph& coarse, double max_weight) {
  const int vertices = coarse.graph.vertices();
  std::vector<std::vector<int>> members(static_cast<std::size_t>(vertices));
  std::vector<std::map<int, int>> edges(members.size());
  for (int v = 0; v < fine.vertices(); ++v) {
    const int own = coarse.vertex_of[v];
    members[own].push_back(v);
    for (int k = fine.row_map[v]; k < fine.row_map[v + 1]; ++k)
      if (const int to = coarse.vertex_of[fine.entries[k]]; to != own)
        edges[own][to] += fine.edge_weights.empty() ? 1 : fine.edge_weights[k];
  }
  for (int c = 0; c < vertices; ++c) {
    ASSERT_TRUE(members[c].size() == 1 || members[c].size() == 2);
    const int weight = fine.weight(members[c].front()) + (members[c].size() > 1 ? fine.weight(members[c].back()) : 0);
    ASSERT_EQ(coarse.graph.weights[c], weight);
    if (members[c].size() > 1) {
      ASSERT_LE(weight, max_weight);
      const auto row = fine.entries.begin() + fine.row_map[members[c].front()];
      const auto row_end = fine.entries.begin() + fine.row_map[members[c].front() + 1];
      ASSERT_NE(std::find(row, row_end, members[c].back()), row_end) << "members that are no neighbours";
    }
    std::map<int, int> found;
    for (int k = coarse.graph.row_map[c]; k < coarse.graph.row_map[c + 1]; ++k)
      ASSERT_TRUE(found.emplace(coarse.graph.entries[k], coarse.graph.edge_weights[k]).second);
    ASSERT_EQ(found, edges[c]);
  }
}

TEST(Coarsen, MergesPairsOfNeighboursAndAddsTheirWeights) {
  reference::Random random(1);
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + reference::below(random, 40);
    const auto fine = weighted(reference::random_pattern(random, n, reference::below(random, 3 * n)), round % 2 == 0);
    for (const double max_weight : {1.0, 4.0, 100.0})
      expect_coarse(fine, coarse_graph(fine, max_weight, 2), max_weight);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Coarsen, TakesTheHeaviestEdge) {
  WeightedGraph fine{{0, 2, 4, 6}, {1, 2, 0, 2, 0, 1}, {}, {1, 5, 1, 2, 5, 2}};
  const auto coarse = coarse_graph(fine, 2, 1);
  EXPECT_EQ(coarse.vertex_of, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(coarse.graph.edge_weights, (std::vector<int>{3, 3}));
}

TEST(Coarsen, OfALargeGraphDoesNotDependOnTheNumberOfThreads) {
  const int width = 300;
  reference::Neighbours cells(static_cast<std::size_t>(width * width));
  for (int v = 0; v < width * width; ++v) {
    if (v % width > 0) reference::connect(cells, v, v - 1);
    if (v >= width) reference::connect(cells, v, v - width);
  }
  const auto fine = weighted(cells, true);
  const auto one = coarse_graph(fine, 1000, 1), seven = coarse_graph(fine, 1000, 7);
  expect_coarse(fine, one, 1000);
  EXPECT_EQ(one.vertex_of, seven.vertex_of);
  EXPECT_EQ(one.graph.entries, seven.graph.entries);
  EXPECT_EQ(one.graph.edge_weights, seven.graph.edge_weights);
  EXPECT_LT(one.graph.vertices(), 0.6 * fine.vertices());
}

}  // namespace
}  // namespace terrace
