// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The orderings on their own: graphs in, orders of their vertices out.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "support/every_ordering.hpp"

namespace terrace::test {
namespace {

using ordering::Order;
using sparse::HostGraph;
using sparse::make_host_graph;
using Edges = std::set<std::pair<int, int>>;

/// From a pattern that lists only some directions of the edges, and some diagonals.
sparse::HostGraph graph_of(int vertices, const Edges& entries) {
  std::vector<int> row_map(static_cast<std::size_t>(vertices) + 1, 0), columns;
  for (const auto& [row, column] : entries) {
    ++row_map[row + 1];
    columns.push_back(column);
  }
  std::partial_sum(row_map.begin(), row_map.end(), row_map.begin());
  return make_host_graph(vertices, row_map.data(), columns.data());
}

std::vector<int> shuffled(int count, unsigned seed) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(seed));
  return numbers;
}

Edges random_edges(int vertices, int count, unsigned seed) {
  std::mt19937 generator(seed);
  Edges edges;
  for (int k = 0; k < count; ++k)
    edges.insert({static_cast<int>(generator() % static_cast<unsigned>(vertices)),
                  static_cast<int>(generator() % static_cast<unsigned>(vertices))});
  return edges;
}

Edges star(int vertices) {
  Edges edges;
  for (int leaf = 0; leaf < vertices; ++leaf) edges.insert({leaf, vertices / 2});
  return edges;
}

Edges complete(int vertices) {
  Edges edges;
  for (int row = 0; row < vertices; ++row)
    for (int column = row; column < vertices; ++column) edges.insert({row, column});
  return edges;
}

/// All pairs that are less than `width` + 1 apart, under other numbers.
Edges band(const std::vector<int>& numbers, int width) {
  const int n = static_cast<int>(numbers.size());
  Edges edges;
  for (int row = 0; row < n; ++row)
    for (int column = row; column < std::min(n, row + width + 1); ++column)
      edges.insert({numbers[row], numbers[column]});
  return edges;
}

std::map<std::string, sparse::HostGraph> every_graph() {
  return {{"empty", graph_of(0, {})},
          {"single", graph_of(1, {})},
          {"single with a loop", graph_of(1, {{0, 0}})},
          {"pair", graph_of(2, {{1, 0}})},
          {"loops alone", graph_of(4, {{0, 0}, {1, 1}, {2, 2}, {3, 3}})},
          {"no edges", graph_of(5, {})},
          {"path", graph_of(50, band(shuffled(50, 1), 1))},
          {"star", graph_of(40, star(40))},
          {"complete", graph_of(100, complete(100))},
          {"two parts and single vertices", graph_of(9, {{0, 7}, {7, 5}, {2, 8}, {8, 8}})},
          {"random", graph_of(300, random_edges(300, 900, 2))},
          {"sparse random", graph_of(300, random_edges(300, 150, 3))}};
}

using Algorithm = std::function<Order(const sparse::HostGraph&)>;

std::map<std::string, Algorithm> every_algorithm() {
  std::map<std::string, Algorithm> all{{"reverse Cuthill-McKee", ordering::reverse_cuthill_mckee},
                                       {"multicolor", ordering::multicolor}};
  if (has_nested_dissection())
    all["nested dissection"] = [](const sparse::HostGraph& graph) { return ordering::nested_dissection(graph); };
  if (has_minimum_degree()) all["minimum degree"] = ordering::minimum_degree;
  all["automatic"] = [](const sparse::HostGraph& graph) {
    return ordering::order_graph(Ordering::Automatic, {}, graph);
  };
  return all;
}

int bandwidth(const sparse::HostGraph& graph, const std::vector<int>& original) {
  std::vector<int> number(original.size());
  for (std::size_t place = 0; place < original.size(); ++place) number[original[place]] = static_cast<int>(place);
  int widest = 0;
  for (int vertex = 0; vertex < graph.vertices(); ++vertex)
    for (auto k = graph.row_map[vertex]; k < graph.row_map[vertex + 1]; ++k)
      widest = std::max(widest, std::abs(number[vertex] - number[graph.entries[k]]));
  return widest;
}

TEST(HostGraph, HoldsBothDirectionsOfEachEdgeOnceInAscendingOrderAndNoLoops) {
  const sparse::HostGraph graph = graph_of(4, {{0, 0}, {0, 2}, {2, 0}, {3, 0}, {1, 3}, {2, 2}});
  EXPECT_EQ(graph.row_map, (std::vector<std::size_t>{0, 2, 3, 4, 6}));
  EXPECT_EQ(graph.entries, (std::vector<int>{2, 3, 3, 0, 0, 1}));
}

TEST(Orderings, ArePermutationsOfEveryGraph) {
  for (const auto& [name, algorithm] : every_algorithm()) {
    for (const auto& [shape, graph] : every_graph()) {
      auto original = algorithm(graph).original;
      std::sort(original.begin(), original.end());
      std::vector<int> all(static_cast<std::size_t>(graph.vertices()));
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(original, all) << name << " of " << shape;
    }
  }
}

TEST(Orderings, AreTheSameWheneverTheyAreAskedFor) {
  for (const auto& [name, algorithm] : every_algorithm()) {
    for (const auto& [shape, graph] : every_graph())
      EXPECT_EQ(algorithm(graph).original, algorithm(graph).original) << name << " of " << shape;
  }
}

TEST(ReverseCuthillMckee, FindsTheBandOfAShuffledBandMatrix) {
  for (const int width : {1, 3, 8}) {
    const auto numbers = shuffled(500, 7);
    const sparse::HostGraph graph = graph_of(500, band(numbers, width));
    EXPECT_EQ(bandwidth(graph, numbers), width);
    EXPECT_GE(bandwidth(graph, shuffled(500, 8)), 400);
    EXPECT_LE(bandwidth(graph, ordering::reverse_cuthill_mckee(graph).original), 2 * width);
  }
}

TEST(ReverseCuthillMckee, KeepsConnectedPartsTogether) {
  Edges edges;
  for (int vertex = 0; vertex + 3 < 60; ++vertex) edges.insert({vertex, vertex + 3});  // three paths
  const sparse::HostGraph graph = graph_of(60, edges);
  EXPECT_EQ(bandwidth(graph, ordering::reverse_cuthill_mckee(graph).original), 1);
}

TEST(Multicolor, MakesIndependentSetsThatFollowOneAnother) {
  for (const auto& [shape, graph] : every_graph()) {
    const Order order = ordering::multicolor(graph);
    EXPECT_LE(order.colors, graph.vertices());
    std::set<int> taken;  // by the color that is being collected
    int sets = graph.vertices() > 0 ? 1 : 0;
    for (std::size_t place = 0; place < order.original.size(); ++place) {
      const int vertex = order.original[place];
      const auto* begin = graph.entries.data() + graph.row_map[vertex];
      const bool meets = std::any_of(begin, begin + graph.degree(vertex), [&](int to) { return taken.count(to) > 0; });
      if (meets) {
        taken.clear();
        ++sets;
      }
      taken.insert(vertex);
    }
    EXPECT_LE(sets, order.colors) << shape;
  }
}

TEST(Multicolor, ColoursBipartiteGridsWithTwoAndCompleteGraphsWithAll) {
  Edges grid;
  for (int cell = 0; cell < 100; ++cell) {
    if (cell % 10 < 9) grid.insert({cell, cell + 1});
    if (cell < 90) grid.insert({cell, cell + 10});
  }
  EXPECT_EQ(ordering::multicolor(graph_of(100, grid)).colors, 2);
  EXPECT_EQ(ordering::multicolor(graph_of(100, complete(100))).colors, 100);
  EXPECT_EQ(ordering::multicolor(graph_of(5, {})).colors, 1);
  EXPECT_EQ(ordering::multicolor(graph_of(0, {})).colors, 0);
}

}  // namespace
}  // namespace terrace::test
