// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How work is laid out over a grid of thread blocks, up to the largest numbers. Any build can test it.
#include "backends/cuda/launch_shape.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace terrace::cuda {
namespace {

constexpr int most = std::numeric_limits<int>::max();

void expect_share(std::size_t warp, int warps_of_row, int rows, int row, int share) {
  const auto found = ShareOfRow::of_warp(warp, warps_of_row, rows);
  EXPECT_EQ(found.row, row) << "warp " << warp;
  EXPECT_EQ(found.share, share) << "warp " << warp;
}

TEST(ShareOfRow, CountsMoreWarpsThanAnIntDoes) {
  constexpr int rows = (1 << 28) + 1, warps_of_row = 8;
  constexpr std::size_t warps = std::size_t(rows) * warps_of_row;
  ASSERT_GT(warps, std::size_t(most));
  expect_share(0, warps_of_row, rows, 0, 0);
  expect_share(warps - 9, warps_of_row, rows, rows - 2, 7);
  expect_share(warps - 8, warps_of_row, rows, rows - 1, 0);
  expect_share(warps - 1, warps_of_row, rows, rows - 1, 7);
}

TEST(ShareOfRow, WarpsBehindTheLastRowHaveNone) {
  expect_share(5, 1, 5, 5, 0);
  expect_share(std::size_t(most) + 2, 1, most - 1, most - 1, 0);
  expect_share(std::size_t(most - 1) * 8, 8, most - 1, most - 1, 0);
}

TEST(BlocksOf, TakeTheLargestNumberOfRows) {
  EXPECT_EQ(blocks_of(0, 4), 0u);
  EXPECT_EQ(blocks_of(9, 4), 3u);
  EXPECT_EQ(blocks_of(most - 1, 1), std::size_t(most - 1));
  EXPECT_EQ(blocks_of(most - 1, 4), std::size_t(1) << 29);
}

TEST(CheckedBlocks, RefuseWhatNoGridCanHave) {
  EXPECT_EQ(checked_blocks(GridLimits::x), 0x7fffffffu);
  for (const std::size_t blocks : {GridLimits::x + 1, (std::size_t(1) << 32) + 1}) {
    try {
      checked_blocks(blocks);
      ADD_FAILURE() << blocks << " blocks";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::OutOfMemory);
    }
  }
}

std::vector<std::pair<int, int>> grids_of(int columns) {
  std::vector<std::pair<int, int>> grids;
  for_grids_of_columns(columns, [&](int first, int count) { grids.emplace_back(first, count); });
  return grids;
}

TEST(GridsOfColumns, AreNoneForNoColumnsAndOneForFew) {
  EXPECT_TRUE(grids_of(0).empty());
  EXPECT_EQ(grids_of(65535), (std::vector<std::pair<int, int>>{{0, 65535}}));
}

TEST(GridsOfColumns, TakeManyColumnsOneGridAfterTheOther) {
  EXPECT_EQ(grids_of(70000), (std::vector<std::pair<int, int>>{{0, 65535}, {65535, 4465}}));
  int end = 0;
  for (const auto& [first, count] : grids_of(most)) {
    EXPECT_EQ(first, end);
    EXPECT_LE(count, GridLimits::y);
    end = first + count;
  }
  EXPECT_EQ(end, most);
}

TEST(RowsAndPieces, AreNoMoreThanAnIntNumbers) {
  EXPECT_EQ(max_rows_and_pieces(10, 5000, 1024), 10 + 8 + 1);
  EXPECT_EQ(max_rows_and_pieces(most - 1, 5000, 1024), max_numbered);
  EXPECT_EQ(max_rows_and_pieces(most - 1, std::numeric_limits<std::size_t>::max(), 256), max_numbered);
}

}  // namespace
}  // namespace terrace::cuda
