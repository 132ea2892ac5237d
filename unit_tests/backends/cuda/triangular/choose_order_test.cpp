// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a small triangle's rows are put in order, as the device chooses it from what it found of the levels.
#include "backends/cuda/triangular/choose_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace terrace::cuda::triangular {
namespace {

constexpr int capacity = RowBlockTuning::max_unknowns;

ChooseOrder chooser(int rows, bool may_have_row_blocks) {
  RowBlocks smallest{1, rows, rows, false};
  if (may_have_row_blocks) smallest = smallest_row_blocks(rows, capacity, CountTuning::most_levels, false);
  return ChooseOrder{smallest, capacity};
}

/// Of rows with so few entries that each has a lane.
Summary levels_of_short_rows(int levels, int rows) {
  return {levels - 1, 0, 0, 1u, 4ull * static_cast<unsigned>(rows), static_cast<unsigned long long>(rows)};
}

RowBlockCosts costs_of(unsigned long long with_row_blocks, unsigned long long without) {
  RowBlockCosts costs{};
  std::fill_n(costs.with_row_blocks, RowBlockCosts::max_unions, with_row_blocks);
  costs.without = without;
  return costs;
}

TEST(CudaOrder, IsByCountingWhereThereAreFewKeys) {
  const OrderChoice choice = chooser(10000, false).of(levels_of_short_rows(20, 10000), {});
  ASSERT_TRUE(choice.is_made);
  EXPECT_EQ(choice.levels, 20);
  EXPECT_EQ(choice.row_blocks.count, 1);
  EXPECT_EQ(choice.kinds, 1u << class_of(0));
  EXPECT_EQ(choice.runs.places, CountTuning::fewest_places);
  EXPECT_EQ(choice.runs.count, parallel::divide_up(10000, CountTuning::fewest_places));
  EXPECT_LE(choice.runs.counts(), CountTuning::most_counts);
  EXPECT_GE(choice.slices, 10000 / 32);
  EXPECT_LE(choice.slices, CountTuning::most_counts);
}

TEST(CudaOrder, HasLongerRunsWhereThereAreMoreKeys) {
  const OrderChoice choice = chooser(100000, false).of(levels_of_short_rows(100, 100000), {});
  ASSERT_TRUE(choice.is_made);
  EXPECT_GT(choice.runs.places, CountTuning::fewest_places);
  EXPECT_LE(choice.runs.counts(), CountTuning::most_counts);
}

TEST(CudaOrder, IsLeftToTheHostWhereTheDeviceCannotChoose) {
  const ChooseOrder choose = chooser(10000, false);
  Summary with_long_rows = levels_of_short_rows(20, 10000);
  with_long_rows.long_rows = with_long_rows.pieces = 1;
  EXPECT_FALSE(choose.of(with_long_rows, {}).is_made);
  EXPECT_FALSE(choose.of(levels_of_short_rows(CountTuning::most_counts / classes_per_level + 1, 10000), {}).is_made);
  EXPECT_FALSE(choose.of(levels_of_short_rows(1 << 28, 1 << 29), {}).is_made);
}

TEST(CudaOrder, HasRowBlocksWhereTheyAreCheaper) {
  const ChooseOrder choose = chooser(50000, true);
  ASSERT_GT(choose.smallest.count, 1);
  const auto row_blocks = [&](int levels, const RowBlockCosts& costs) {
    const OrderChoice choice = choose.of(levels_of_short_rows(levels, 50000), costs);
    return choice.is_made ? choice.row_blocks.count : 0;
  };
  EXPECT_GT(row_blocks(10, costs_of(10000, 900000)), 1);
  EXPECT_EQ(row_blocks(10, costs_of(900000, 10000)), 1);
  EXPECT_EQ(row_blocks(RowBlockTuning::fewest_levels - 1, costs_of(10000, 900000)), 1);
  EXPECT_EQ(row_blocks(CountTuning::most_levels + 1, costs_of(10000, 900000)), 0) << "nobody counted those";
}

TEST(CudaOrder, CountsLieRunByRunWithinKeys) {
  Summary summary = levels_of_short_rows(3, 1000);
  summary.classes = 1u << 0 | 1u << 2;
  const OrderChoice choice = chooser(1000, false).of(summary, {});
  ASSERT_TRUE(choice.is_made);
  EXPECT_EQ(choice.kinds, 1u << class_of(0) | 1u << class_of(2));
  EXPECT_EQ(choice.runs.counts(), 3 * 2 * choice.runs.count);
  for (int run = 0; run < choice.runs.count; ++run) {
    EXPECT_EQ(choice.runs.first_place(run), run * choice.runs.places);
    EXPECT_EQ(choice.runs.end_place(run), std::min((run + 1) * choice.runs.places, 1000));
  }
}

}  // namespace
}  // namespace terrace::cuda::triangular
