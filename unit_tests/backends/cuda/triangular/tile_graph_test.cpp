// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/triangular/tile_graph.hpp"

#include <gtest/gtest.h>

#include <set>

namespace terrace::cuda::triangular {
namespace {

/// Groups of rows 0-2, 3-4, 5, 6-9; the second needs the first, the fourth the first and the third.
TriangleTiles lower() { return list_tiles({0, 3, 5, 6, 10}, {0, 0, 1, 1, 3}, {0, 0, 2}, false); }

/// The same turned around: what is solved first stands last.
TriangleTiles upper() { return list_tiles({0, 4, 5, 7, 10}, {0, 2, 2, 3, 3}, {1, 3, 3}, true); }

TEST(TileGraph, BlocksAreThoseOfTheSolutionOrder) {
  for (const auto& tiles : {lower(), upper()}) {
    EXPECT_EQ(tiles.first, (std::vector<int>{0, 3, 5, 6, 10}));
    EXPECT_EQ(tiles.rows.map, (std::vector<int>{0, 0, 1, 1, 3}));
    EXPECT_EQ(tiles.rows.others, (std::vector<int>{0, 0, 2}));
  }
}

TEST(TileGraph, EachTileHasANumberOfItsOwn) {
  const auto tiles = lower();
  std::set<int> numbers(tiles.diagonal.begin(), tiles.diagonal.end());
  numbers.insert(tiles.rows.tiles.begin(), tiles.rows.tiles.end());
  EXPECT_EQ(tiles.tiles, 7);
  EXPECT_EQ(numbers, (std::set<int>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(TileGraph, TheTransposedSystemHasTheSameTilesByColumns) {
  const auto tiles = lower();
  EXPECT_EQ(tiles.columns.map, (std::vector<int>{0, 2, 2, 3, 3}));
  EXPECT_EQ(tiles.columns.others, (std::vector<int>{3, 1, 3}));  // what is solved first comes first
  EXPECT_EQ(tiles.columns.tiles, (std::vector<int>{tiles.rows.tiles[1], tiles.rows.tiles[0], tiles.rows.tiles[2]}));
}

TEST(TileGraph, BlocksThatNeedNothingComeFirst) {
  const auto tiles = lower();
  EXPECT_EQ(tiles.rows.order, (std::vector<int>{0, 2, 1, 3}));
  EXPECT_EQ(tiles.columns.order, (std::vector<int>{3, 1, 2, 0}));
  EXPECT_EQ(tiles.rows.levels, 2);
  EXPECT_EQ(tiles.columns.levels, 2);
}

TEST(TileGraph, InADenseTriangleEachBlockNeedsAllBeforeIt) {
  for (const bool backward : {false, true}) {
    const auto tiles = list_all_tiles({0, 2, 4, 5}, backward);
    EXPECT_EQ(tiles.first, (backward ? std::vector<int>{0, 1, 3, 5} : std::vector<int>{0, 2, 4, 5}));
    EXPECT_EQ(tiles.rows.map, (std::vector<int>{0, 0, 1, 3}));
    EXPECT_EQ(tiles.rows.others, (std::vector<int>{0, 0, 1}));
    EXPECT_EQ(tiles.columns.others, (std::vector<int>{2, 1, 2}));
    EXPECT_EQ(tiles.rows.levels, 3);
    EXPECT_EQ(tiles.tiles, 6);
  }
}

}  // namespace
}  // namespace terrace::cuda::triangular
