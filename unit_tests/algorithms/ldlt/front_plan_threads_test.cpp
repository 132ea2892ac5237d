// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The analysis on the host finds the same with any number of threads, on graphs that are large enough to be shared.
#include <gtest/gtest.h>

#include "algorithms/ldlt/front_plan.hpp"
#include "algorithms/ldlt/host_triangle.hpp"
#include "support/stored_pattern.hpp"

namespace terrace {
namespace {

using reference::Neighbours;

constexpr int several[] = {2, 3, 7};

std::map<std::string, Neighbours> every_pattern() {
  reference::Random random(1);
  auto all = reference::extreme_patterns();
  all["grid of several unknowns"] = reference::grid(50, 40, 3);
  all["random"] = reference::random_pattern(random, 5000, 9000);
  all["random with empty rows"] = reference::random_pattern(random, 6000, 2000);
  all["no entries"] = Neighbours(5000);
  all["disconnected grids"] = reference::grid(80, 30, 1);
  const Neighbours other = reference::grid(60, 50, 2);
  const auto first = static_cast<int>(all["disconnected grids"].size());
  for (const auto& row : other) {
    std::set<int> moved;
    for (const int v : row) moved.insert(first + v);
    all["disconnected grids"].push_back(moved);
  }
  all["dense row"] = reference::grid(70, 70, 1);
  for (int v = 0; v < 4900; ++v) reference::connect(all["dense row"], v, 2000);
  return all;
}

/// From the last unknown of a part to its first, parts one after the other: a tree of many branches.
std::vector<int> order_by_halves(int vertices) {
  std::vector<int> order;
  const auto visit = [&](const auto& self, int begin, int end) -> void {
    if (begin >= end) return;
    const int middle = begin + (end - begin) / 2;
    self(self, begin, middle);
    self(self, middle + 1, end);
    order.push_back(middle);
  };
  visit(visit, 0, vertices);
  return order;
}

void expect_same(const sparse::CompressedGraph& a, const sparse::CompressedGraph& b) {
  EXPECT_EQ(a.graph.row_map, b.graph.row_map);
  EXPECT_EQ(a.graph.entries, b.graph.entries);
  EXPECT_EQ(a.member_map, b.member_map);
  EXPECT_EQ(a.members, b.members);
  EXPECT_EQ(a.weights, b.weights);
}

void expect_same(const ldlt::TriangleFacts& a, const ldlt::TriangleFacts& b) {
  EXPECT_EQ(a.entries, b.entries);
  EXPECT_EQ(a.empty_rows, b.empty_rows);
  EXPECT_EQ(a.missing_diagonals, b.missing_diagonals);
  EXPECT_EQ(a.first_empty_row, b.first_empty_row);
  EXPECT_EQ(a.first_missing_diagonal, b.first_missing_diagonal);
}

void expect_same_graphs(const sparse::HostTriangleView<std::size_t>& triangle) {
  const auto graph = sparse::graph_of(triangle);
  const auto compressed = sparse::compress_graph(triangle);
  const auto facts = ldlt::facts_of(triangle, compressed);
  for (const int threads : several) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    const auto shared = sparse::graph_of(triangle, threads);
    EXPECT_EQ(shared.row_map, graph.row_map);
    EXPECT_EQ(shared.entries, graph.entries);
    expect_same(sparse::compress_graph(triangle, threads), compressed);
    expect_same(ldlt::facts_of(triangle, compressed, threads), facts);
  }
}

void expect_same_entries(const ldlt::FrontPlan& plan, const sparse::HostTriangleView<std::size_t>& triangle) {
  parallel::HostArray<std::size_t> source;
  const auto entries = ldlt::assemble_entries(plan, triangle, 1, source);
  for (const int threads : several) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    parallel::HostArray<std::size_t> other_source;
    const auto others = ldlt::assemble_entries(plan, triangle, threads, other_source);
    EXPECT_EQ(others.map, entries.map);
    EXPECT_EQ(others.target, entries.target);
    EXPECT_EQ(other_source, source);
  }
}

void expect_same(const ldlt::FrontPlan& a, const ldlt::FrontPlan& b) {
  EXPECT_EQ(a.tree.original, b.tree.original);
  EXPECT_EQ(a.tree.first_column, b.tree.first_column);
  EXPECT_EQ(a.tree.parent, b.tree.parent);
  EXPECT_EQ(a.tree.row_map, b.tree.row_map);
  EXPECT_EQ(a.tree.rows, b.tree.rows);
  EXPECT_EQ(a.tree.children, b.tree.children);
  EXPECT_EQ(a.tree.entries, b.tree.entries);
  EXPECT_EQ(a.tree.operations, b.tree.operations);
  EXPECT_EQ(a.tree.stored_operations, b.tree.stored_operations);
  EXPECT_EQ(a.place_in_parent, b.place_in_parent);
  EXPECT_EQ(a.panel_map, b.panel_map);
  EXPECT_EQ(a.contribution, b.contribution);
  EXPECT_EQ(a.by_level, b.by_level);
}

ldlt::FrontPlan plan_of(const sparse::CompressedGraph& graph, double amalgamation, int threads) {
  return ldlt::plan_fronts(ldlt::sum_children(ldlt::build_fronts(graph, order_by_halves(graph.graph.vertices()),
                                                                 ldlt::tuned_amalgamation(amalgamation), threads)),
                           threads, ldlt::PanelOrder::Fronts);
}

TEST(AnalysisThreads, FindTheSameFronts) {
  for (const auto& [name, neighbours] : every_pattern()) {
    SCOPED_TRACE(name);
    const auto graph = sparse::compress_graph(reference::host_graph(neighbours));
    for (const double amalgamation : {0.0, 1.0}) {
      const auto plan = plan_of(graph, amalgamation, 1);
      for (const int threads : several) expect_same(plan_of(graph, amalgamation, threads), plan);
    }
  }
}

TEST(AnalysisThreads, FindTheSameGraphsAndEntries) {
  reference::Random random(3);
  for (const auto& [name, neighbours] : every_pattern())
    for (const bool lower : {true, false}) {
      SCOPED_TRACE(name + (lower ? ", lower" : ", upper"));
      auto stored = test::stored_pattern(neighbours, lower, false, random);
      expect_same_graphs(stored.view());
      expect_same_graphs(test::stored_pattern(neighbours, lower, true, random).view());
      const auto graph = sparse::compress_graph(stored.view());
      expect_same_entries(plan_of(graph, 1, 1), stored.view());
    }
}

TEST(AnalysisThreads, KeepTheOrderOfEntriesThatRepeat) {
  reference::Random random(4);
  const auto neighbours = reference::grid(60, 60, 1);
  const auto plan = plan_of(sparse::compress_graph(reference::host_graph(neighbours)), 1, 1);
  test::StoredPattern twice;
  for (int row = 0; row < 3600; ++row) {
    for (int times = 0; times < 3; ++times)
      for (const int column : neighbours[row]) twice.columns.push_back(column);
    twice.row_map.push_back(twice.columns.size());
  }
  expect_same_entries(plan, twice.view());
  parallel::HostArray<std::size_t> source;
  const auto entries = ldlt::assemble_entries(plan, twice.view(), 7, source);
  for (std::size_t e = 1; e < source.size(); ++e)
    EXPECT_TRUE(entries.target[e] > entries.target[e - 1] ||
                (entries.target[e] == entries.target[e - 1] && source[e] > source[e - 1]));
}

TEST(AnalysisThreads, FindTheFirstRowThatRepeats) {
  reference::Random random(5);
  auto stored = test::stored_pattern(reference::grid(90, 90, 1), true, true, random);
  for (const int row : {8000, 4500, 4400}) {
    stored.columns[stored.row_map[row]] = stored.columns[stored.row_map[row] + 1];
    for (const int threads : {1, 2, 3, 7}) EXPECT_EQ(ldlt::first_repeating_row(stored.view(), threads), row);
  }
}

}  // namespace
}  // namespace terrace
