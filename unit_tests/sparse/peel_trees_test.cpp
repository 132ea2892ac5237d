// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/peel_trees.hpp"

#include <gtest/gtest.h>

#include "reference/symmetric_pattern.hpp"
#include "sparse/induced_graph.hpp"

namespace terrace {
namespace {

/// Neighbours that come later, of what is peeled; in the core, neighbours in it.
void expect_peeled(const reference::Neighbours& neighbours) {
  const auto graph = reference::host_graph(neighbours);
  const auto trees = sparse::peel_trees(graph);
  std::vector<int> place(neighbours.size(), static_cast<int>(neighbours.size()));
  for (std::size_t i = 0; i < trees.peeled.size(); ++i) place[trees.peeled[i]] = static_cast<int>(i);
  EXPECT_EQ(trees.peeled.size() + trees.core.size(), neighbours.size());
  for (std::size_t v = 0; v < neighbours.size(); ++v) {
    const auto later =
        std::count_if(neighbours[v].begin(), neighbours[v].end(), [&](int w) { return place[w] > place[v]; });
    const auto in_core = std::count_if(neighbours[v].begin(), neighbours[v].end(),
                                       [&](int w) { return place[w] == static_cast<int>(neighbours.size()); });
    if (place[v] < static_cast<int>(neighbours.size())) EXPECT_LE(later, 1);
    else EXPECT_GE(in_core, 2);
  }
  EXPECT_TRUE(std::is_sorted(trees.core.begin(), trees.core.end()));
}

TEST(PeelTrees, LeavesWhatHasTwoNeighboursInItself) {
  reference::Random random(4);
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + reference::below(random, 60);
    expect_peeled(reference::random_pattern(random, n, reference::below(random, 2 * n)));
  }
  for (const auto& [name, neighbours] : reference::extreme_patterns()) expect_peeled(neighbours);
}

TEST(PeelTrees, PeelsAChainFromBothEnds) {
  const auto trees = sparse::peel_trees(reference::host_graph(reference::grid(5, 1)));
  EXPECT_EQ(trees.peeled, (std::vector<int>{0, 4, 1, 3, 2}));
  EXPECT_TRUE(trees.core.empty());
}

TEST(PeelTrees, LeavesTheGraphAmongTheOthers) {
  reference::Neighbours neighbours(5);  // a triangle 1 2 4, of which 2 has the neighbour 0, and that has 3
  const std::vector<std::pair<int, int>> edges{{1, 2}, {2, 4}, {1, 4}, {2, 0}, {0, 3}};
  for (const auto& [a, b] : edges) reference::connect(neighbours, a, b);
  const auto graph = reference::host_graph(neighbours);
  const auto trees = sparse::peel_trees(graph);
  EXPECT_EQ(trees.peeled, (std::vector<int>{3, 0}));
  EXPECT_EQ(trees.core, (std::vector<int>{1, 2, 4}));
  const auto core = sparse::induced_graph(graph, trees.core);
  EXPECT_EQ(core.row_map, (std::vector<std::size_t>{0, 2, 4, 6}));
  EXPECT_EQ(core.entries, (std::vector<int>{1, 2, 0, 2, 0, 1}));
}

}  // namespace
}  // namespace terrace
