// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/incomplete/tile_order.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "backends/cuda/analysis/group_rows.hpp"

namespace terrace::cuda::incomplete {
namespace {

/// Tiles of a band of so many groups.
TileGraph band_of_tiles(int groups, int width) {
  TileGraph graph{{0}, {}};
  for (int row = 0; row < groups; ++row) {
    for (int column = std::max(0, row - width); column <= std::min(groups - 1, row + width); ++column)
      graph.columns.push_back(column);
    graph.tile_map.push_back(graph.tiles());
  }
  return graph;
}

TileGraph random_tiles(int groups, unsigned seed) {
  std::mt19937 generator(seed);
  TileGraph graph{{0}, {}};
  for (int row = 0; row < groups; ++row) {
    std::set<int> columns{row};
    for (int k = 0; k < 3; ++k) columns.insert(static_cast<int>(generator() % static_cast<unsigned>(groups)));
    graph.columns.insert(graph.columns.end(), columns.begin(), columns.end());
    graph.tile_map.push_back(graph.tiles());
  }
  return graph;
}

/// The tile (row, column), or -1.
int find_tile(const TileGraph& graph, int row, int column) {
  for (int tile = graph.tile_map[row]; tile < graph.tile_map[row + 1]; ++tile)
    if (graph.columns[tile] == column) return tile;
  return -1;
}

void expect_no_tile_before_one_that_it_needs(const TileGraph& graph) {
  const TileOrder found = order_tiles(graph);
  ASSERT_EQ(found.order.size(), graph.columns.size());
  std::vector<int> place(graph.columns.size(), -1);
  for (std::size_t k = 0; k < found.order.size(); ++k) place[found.order[k]] = static_cast<int>(k);
  ASSERT_EQ(std::count(place.begin(), place.end(), -1), 0);
  for (int row = 0; row < graph.groups(); ++row)
    for (int tile = graph.tile_map[row]; tile < graph.tile_map[row + 1]; ++tile) {
      EXPECT_EQ(found.rows[tile], row);
      const int column = graph.columns[tile], step = std::min(row, column);
      if (row != column) {
        EXPECT_LT(place[found.diagonal[step]], place[tile]);
      }
      for (int k = 0; k < step; ++k) {
        const int left = find_tile(graph, row, k), right = find_tile(graph, k, column);
        if (left < 0 || right < 0) continue;
        EXPECT_LT(place[left], place[tile]);
        EXPECT_LT(place[right], place[tile]);
      }
    }
}

TEST(TileOrder, RunsAreDividedEvenly) {
  constexpr int most = 32;
  EXPECT_EQ(group_rows({}, most), (std::vector<int>{0}));
  EXPECT_EQ(group_rows({begins_run}, most), (std::vector<int>{0, 1}));
  EXPECT_EQ(group_rows({1, 0, needs_former, 1, 0, begins_run | needs_former}, most), (std::vector<int>{0, 3, 5, 6}));
  std::vector<unsigned char> bits(70, 0);
  bits[0] = begins_run;
  EXPECT_EQ(group_rows(bits, most), (std::vector<int>{0, 23, 46, 70}));
  bits.assign(static_cast<std::size_t>(most), 0);
  EXPECT_EQ(group_rows(bits, most), (std::vector<int>{0, most}));
  EXPECT_EQ(equal_groups(70, most), (std::vector<int>{0, 32, 64, 70}));
  EXPECT_EQ(equal_groups(64, most), (std::vector<int>{0, 32, 64}));
  EXPECT_EQ(groups_of_rows({0, 2, 3}), (std::vector<int>{0, 0, 1}));
}

TEST(TileOrder, NoTileComesBeforeOneThatItNeeds) {
  expect_no_tile_before_one_that_it_needs(band_of_tiles(1, 0));
  expect_no_tile_before_one_that_it_needs(band_of_tiles(12, 3));
  expect_no_tile_before_one_that_it_needs(band_of_tiles(9, 9));
  for (const unsigned seed : {1u, 2u, 3u}) expect_no_tile_before_one_that_it_needs(random_tiles(40, seed));
}

TEST(TileOrder, StepsThatDoNotTouchShareALevel) {
  EXPECT_EQ(order_tiles(band_of_tiles(10, 0)).levels, 1);
  EXPECT_EQ(order_tiles(band_of_tiles(10, 1)).levels, 10);
  EXPECT_EQ(order_tiles(band_of_tiles(10, 9)).levels, 10);
}

}  // namespace
}  // namespace terrace::cuda::incomplete
