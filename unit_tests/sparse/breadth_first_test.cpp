// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/breadth_first.hpp"

#include <gtest/gtest.h>

#include "reference/symmetric_pattern.hpp"

namespace terrace {
namespace {

using sparse::BreadthFirst;

TEST(BreadthFirst, FindsPartsAndTheirLevels) {
  reference::Neighbours neighbours(9);  // 5 - 4 - 3 - 0 - 1 - 2, a triangle 6 7 8
  const std::vector<std::pair<int, int>> edges{{5, 4}, {4, 3}, {3, 0}, {0, 1}, {1, 2}, {6, 7}, {7, 8}, {6, 8}};
  for (const auto& [a, b] : edges) reference::connect(neighbours, a, b);
  const sparse::HostGraph graph = reference::host_graph(neighbours);
  BreadthFirst search(graph);
  EXPECT_EQ(search.find_part(0), 4);
  EXPECT_EQ(search.part(), (std::vector<int>{0, 1, 3, 2, 4, 5}));
  EXPECT_EQ(search.level_map(), (std::vector<int>{0, 1, 3, 5, 6}));
  EXPECT_EQ(search.levels_from_the_end(), 6);
  EXPECT_EQ(search.part(), (std::vector<int>{5, 4, 3, 0, 1, 2}));
  for (int v = 0; v < 9; ++v) EXPECT_EQ(search.has_found(v), v < 6) << v;
  EXPECT_EQ(search.find_part(7), 2);
  EXPECT_EQ(search.levels_from_the_end(), 2);
  EXPECT_EQ(search.part().size(), 3u);
}

TEST(BreadthFirst, FindsAVertexAlone) {
  const sparse::HostGraph graph = reference::host_graph(reference::Neighbours(2));
  BreadthFirst search(graph);
  EXPECT_EQ(search.find_part(1), 1);
  EXPECT_EQ(search.levels_from_the_end(), 1);
  EXPECT_EQ(search.part(), std::vector<int>{1});
  EXPECT_FALSE(search.has_found(0));
}

TEST(BreadthFirst, CountsTheLevelsOfAGridFromItsCorner) {
  const sparse::HostGraph graph = reference::host_graph(reference::grid(7, 5));
  BreadthFirst search(graph);
  EXPECT_LE(search.find_part(17), 11);
  EXPECT_EQ(search.levels_from_the_end(), 11);
  EXPECT_EQ(search.part().size(), 35u);
}

TEST(BreadthFirst, StopsWhereALevelIsTooWide) {
  const sparse::HostGraph graph = reference::host_graph(reference::grid(30, 30));
  EXPECT_EQ(BreadthFirst(graph).find_part(0, 30), 59);
  BreadthFirst search(graph);
  EXPECT_EQ(search.find_part(0, 10), 0);
  EXPECT_LT(search.part().size(), 100u);
}

TEST(BreadthFirst, TakesNeighboursOfLowDegreeFirst) {
  reference::Neighbours neighbours(5);  // 0 has the neighbours 1, 2 and 3, of which 2 has no other
  const std::vector<std::pair<int, int>> edges{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {1, 4}};
  for (const auto& [a, b] : edges) reference::connect(neighbours, a, b);
  const sparse::HostGraph graph = reference::host_graph(neighbours);
  BreadthFirst search(graph);
  EXPECT_EQ(search.find_part(0), 3);
  EXPECT_EQ(search.part(), (std::vector<int>{0, 2, 3, 1, 4}));
}

}  // namespace
}  // namespace terrace
