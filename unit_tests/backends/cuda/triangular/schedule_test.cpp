// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the CUDA engine cuts levels into kernels. The cut is made on the host, so any build can test it.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "backends/cuda/triangular/choose_row_blocks.hpp"
#include "backends/cuda/triangular/schedule.hpp"

namespace terrace::cuda::triangular {
namespace {

constexpr std::array<bool, 3> all_kinds{true, true, true};

/// Levels of so many slices of 32 rows each.
struct Levels {
  explicit Levels(const std::vector<int>& slices) : first_slice(slices.size() + 1, 0) {
    std::partial_sum(slices.begin(), slices.end(), first_slice.begin() + 1);
    for (const int slice : first_slice) first_position.push_back(32 * slice);
  }
  LevelShape shape() const { return {first_slice, first_position, 2000.0, RowBlockTuning::max_unknowns}; }
  std::vector<Segment> segments(const std::array<bool, 3>& allowed = all_kinds) const {
    return make_segments(shape(), choose_kinds(shape(), allowed), 1000);
  }

  std::vector<int> first_slice, first_position;
};

TEST(CudaSchedule, TakesEverySliceOnceAndInOrder) {
  const Levels levels({40000, 1, 1, 1, 1, 1, 1, 1, 1, 50, 60, 70, 80, 90, 100, 30000, 2, 2});
  int slice = 0, position = 0;
  for (const Segment& segment : levels.segments()) {
    EXPECT_EQ(segment.first, slice);
    EXPECT_EQ(segment.first_position, position);
    EXPECT_GT(segment.end, segment.first);
    EXPECT_GE(segment.blocks, 1);
    slice = segment.end;
    position = segment.end_position;
  }
  EXPECT_EQ(slice, levels.first_slice.back());
  EXPECT_EQ(position, levels.first_position.back());
}

TEST(CudaSchedule, GivesEachKindWhatItIsGoodAt) {
  const auto chain = Levels(std::vector<int>(400, 1)).segments();
  ASSERT_EQ(chain.size(), 1u);
  EXPECT_EQ(chain[0].kind, Kind::Chain);

  const auto grid = Levels(std::vector<int>(300, 150)).segments();
  ASSERT_EQ(grid.size(), 1u);
  EXPECT_EQ(grid[0].kind, Kind::Device);

  const auto wide = Levels({100000, 100000}).segments();
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_EQ(wide[0].kind, Kind::Level);
  EXPECT_EQ(wide[1].kind, Kind::Level);
}

TEST(CudaSchedule, BeginsNoWalkForAFewLevels) {
  for (const Segment& segment : Levels({400, 400}).segments()) EXPECT_EQ(segment.kind, Kind::Level);
  const auto longer = Levels(std::vector<int>(12, 400)).segments();
  ASSERT_EQ(longer.size(), 1u);
  EXPECT_EQ(longer[0].kind, Kind::Device);
}

TEST(CudaSchedule, KeepsToWhatIsAllowed) {
  const Levels levels({40000, 1, 1, 1, 50, 60, 30000});
  for (const Segment& segment : levels.segments({false, true, false})) EXPECT_EQ(segment.kind, Kind::Device);
  for (const Segment& segment : levels.segments({true, false, true})) EXPECT_NE(segment.kind, Kind::Device);
}

TEST(CudaSchedule, WatchesNothingButWhatIsWaitedFor) {
  const auto segment = [](Kind kind, int first_position, int end_position) {
    return Segment{kind, 0, 0, first_position, end_position, 1, 1};
  };
  const auto ranges = [](const std::vector<Segment>& segments) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (const Range& range : ranges_to_watch(segments, 100, 110)) found.emplace_back(range.first, range.end);
    return found;
  };
  using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(ranges({segment(Kind::Level, 0, 60), segment(Kind::Level, 60, 100)}), Ranges());
  EXPECT_EQ(ranges({segment(Kind::Device, 0, 100)}), (Ranges{{0, 110}}));
  EXPECT_EQ(ranges({segment(Kind::Chain, 0, 100)}), Ranges());
  EXPECT_EQ(ranges({segment(Kind::RowBlocks, 0, 100)}), (Ranges{{0, 110}}));
  EXPECT_EQ(ranges({segment(Kind::Chain, 0, 10), segment(Kind::Device, 10, 40), segment(Kind::Level, 40, 100)}),
            (Ranges{{10, 40}, {100, 110}}));
  EXPECT_EQ(ranges({segment(Kind::Device, 0, 10), segment(Kind::Level, 10, 40), segment(Kind::Device, 40, 100)}),
            (Ranges{{0, 10}, {40, 110}}));
}

TEST(CudaSchedule, CutsAChainWhereItsUnknownsFillSharedMemory) {
  const Levels levels(std::vector<int>(1000, 1));  // 32,000 positions
  const auto segments = levels.segments({true, false, false});
  ASSERT_EQ(segments.size(), 3u);
  for (const Segment& segment : segments)
    EXPECT_LE(segment.end_position - segment.first_position, RowBlockTuning::max_unknowns);
}

TEST(CudaRowBlocks, HoldEveryRowOnceInTheOrderOfTheSolve) {
  for (const bool backward : {false, true}) {
    constexpr int rows = 100000, capacity = 3000;
    const RowBlocks row_blocks = smallest_row_blocks(rows, capacity, 500, backward);
    ASSERT_GT(row_blocks.count, 1);
    EXPECT_LE(row_blocks.rows_per_row_block, capacity);
    for (int place = 0; place < rows; ++place) {
      const int row_block = row_blocks.of(backward ? rows - 1 - place : place);
      ASSERT_EQ(row_block, place / row_blocks.rows_per_row_block);
      ASSERT_LT(row_block, row_blocks.count);
    }
  }
}

TEST(CudaRowBlocks, AreNotCountedWhereTheyCannotPayOrFit) {
  constexpr int capacity = RowBlockTuning::max_unknowns;
  EXPECT_EQ(smallest_row_blocks(100000, capacity, RowBlockTuning::fewest_levels - 1, false).count, 1);
  EXPECT_EQ(smallest_row_blocks(capacity * RowBlockTuning::max_row_blocks + 1, capacity, 500, false).count, 1);
  EXPECT_EQ(smallest_row_blocks(100000, 0, 500, false).count, 1);
  EXPECT_EQ(smallest_row_blocks(RowBlockTuning::fewest_rows - 1, capacity, 500, false).count, 1);
  EXPECT_EQ(smallest_row_blocks(1000000, capacity, 1000000, false).count, 1);
  EXPECT_LE(smallest_row_blocks(100000, capacity, 100000, false).count * 100000, RowBlockTuning::max_counts);
}

TEST(CudaRowBlocks, AreAsManyAsIsCheapest) {
  const RowBlocks smallest = smallest_row_blocks(10000, 10000, 100, false);
  ASSERT_EQ(smallest.count, RowBlockTuning::max_row_blocks);
  const auto chosen = [&](int capacity, std::vector<unsigned long long> with_row_blocks, unsigned long long without) {
    RowBlockCosts costs{};
    with_row_blocks.resize(RowBlockCosts::max_unions, 1000000);
    std::copy(with_row_blocks.begin(), with_row_blocks.end(), costs.with_row_blocks);
    costs.without = without;
    return cheapest(smallest, capacity, 100, costs).count;
  };
  EXPECT_EQ(chosen(10000, {900000, 100000, 150000}, 800000), 64);
  EXPECT_EQ(chosen(10000, {900000, 100000, 100000}, 800000), 32);  // fewer borders
  EXPECT_EQ(chosen(99, {900000, 100000, 100000}, 800000), 1);      // no capacity for unions
  EXPECT_EQ(chosen(10000, {900000, 900000}, 800000), 1);
}

/// A slice for each of so many rows.
LevelShape one_level(std::vector<int>& first) { return {first, first, 2000.0, RowBlockTuning::max_unknowns}; }

TEST(CudaSchedule, CountsBlocksOfTheWidestLevel) {
  std::vector<int> first{0, std::numeric_limits<int>::max() - 1};
  EXPECT_EQ(device_segment(one_level(first), 0, 1, 1000).blocks, 1000);
  EXPECT_EQ(level_segment(one_level(first), 0).blocks, 1 << 28);
  EXPECT_EQ(many_columns_blocks(first[1], 1, 1000), 1000);
}

}  // namespace
}  // namespace terrace::cuda::triangular
