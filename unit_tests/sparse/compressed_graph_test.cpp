// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs whose indistinguishable vertices are merged, against closed neighbourhoods compared one by one.
#include "sparse/compressed_graph.hpp"

#include <gtest/gtest.h>

#include "reference/symmetric_pattern.hpp"

namespace terrace {
namespace {

using reference::Neighbours;

std::set<int> closed_neighbourhood(const Neighbours& neighbours, int vertex) {
  auto closed = neighbours[vertex];
  closed.insert(vertex);
  return closed;
}

/// Each class in ascending order, by its smallest vertex.
std::vector<std::vector<int>> classes_of(const Neighbours& neighbours) {
  std::vector<std::vector<int>> classes;
  for (int v = 0; v < static_cast<int>(neighbours.size()); ++v) {
    const auto same = std::find_if(classes.begin(), classes.end(), [&](const auto& members) {
      return closed_neighbourhood(neighbours, members.front()) == closed_neighbourhood(neighbours, v);
    });
    if (same == classes.end()) classes.push_back({v});
    else same->push_back(v);
  }
  return classes;
}

void expect_compressed(const Neighbours& neighbours) {
  const auto compressed = sparse::compress_graph(reference::host_graph(neighbours));
  const auto classes = classes_of(neighbours);
  ASSERT_EQ(compressed.weights.size(), classes.size());
  ASSERT_EQ(compressed.graph.vertices(), static_cast<int>(classes.size()));
  EXPECT_EQ(compressed.unknowns(), static_cast<int>(neighbours.size()));
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto begin = compressed.members.begin() + compressed.member_map[c];
    const auto end = compressed.members.begin() + compressed.member_map[c + 1];
    EXPECT_EQ(std::vector<int>(begin, end), classes[c]);
    EXPECT_EQ(compressed.weights[c], static_cast<int>(classes[c].size()));
    std::vector<int> expected;
    for (std::size_t other = 0; other < classes.size(); ++other)
      if (other != c && neighbours[classes[c].front()].count(classes[other].front()) > 0)
        expected.push_back(static_cast<int>(other));
    const auto* row = compressed.graph.entries.data();
    EXPECT_EQ(std::vector<int>(row + compressed.graph.row_map[c], row + compressed.graph.row_map[c + 1]), expected);
  }
}

TEST(CompressedGraph, MergesThoseWithTheSameClosedNeighbourhoodAndNoOthers) {
  reference::Random random(1);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const int n = 1 + reference::below(random, 8);
    expect_compressed(reference::random_pattern_with_copies(random, n, reference::below(random, 2 * n), 4));
    if (testing::Test::HasFailure()) return;
  }
  for (const auto& [name, neighbours] : reference::extreme_patterns()) {
    SCOPED_TRACE(name);
    expect_compressed(neighbours);
  }
}

TEST(MergeVertices, RefusesKeysThatDistinguishableVerticesShare) {
  reference::Random random(3);
  int merged_some = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const int n = 1 + reference::below(random, 5);
    const auto neighbours = reference::random_pattern_with_copies(random, n, reference::below(random, 2 * n), 3);
    const auto graph = reference::host_graph(neighbours);
    std::vector<std::uint64_t> key;
    for (std::size_t v = 0; v < neighbours.size(); ++v) key.push_back(static_cast<std::uint64_t>(random() % 3));
    bool is_right = true;  // neighbours that share a key are indistinguishable
    for (int v = 0; v < graph.vertices(); ++v)
      for (const int w : neighbours[v])
        is_right &= key[v] != key[w] || closed_neighbourhood(neighbours, v) == closed_neighbourhood(neighbours, w);
    const auto merged = sparse::merge_vertices(sparse::triangle_of(graph), key);
    if (merged) {
      ++merged_some;
      ASSERT_TRUE(is_right);
      ASSERT_EQ(sparse::expand_graph(*merged).entries, graph.entries);
    } else {
      refused += !is_right;
    }
  }
  EXPECT_GT(merged_some, 100);
  EXPECT_GT(refused, 100);
}

TEST(CompressedGraph, ExpandsToTheGraphOfItsUnknowns) {
  reference::Random random(2);
  for (int round = 0; round < 1000; ++round) {
    const int n = 1 + reference::below(random, 8);
    const auto graph =
        reference::host_graph(reference::random_pattern_with_copies(random, n, reference::below(random, 2 * n), 4));
    const auto expanded = sparse::expand_graph(sparse::compress_graph(graph));
    ASSERT_EQ(expanded.row_map, graph.row_map);
    ASSERT_EQ(expanded.entries, graph.entries);
  }
}

TEST(SeparateVertices, MergeNothing) {
  const auto graph = reference::host_graph(reference::extreme_patterns()["dense"]);
  const auto separate = sparse::separate_vertices(graph);
  EXPECT_EQ(separate.graph.entries, graph.entries);
  EXPECT_EQ(separate.weights, std::vector<int>(70, 1));
  EXPECT_EQ(separate.unknowns(), 70);
  EXPECT_EQ(separate.members[69], 69);
  EXPECT_EQ(separate.member_map.back(), 70);
}

}  // namespace
}  // namespace terrace
