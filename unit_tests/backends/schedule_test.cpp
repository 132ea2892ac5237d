// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the CUDA engine cuts levels into kernels. The cut is made on the host, so any build can test it.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "backends/cuda/triangular/choose_bands.hpp"
#include "backends/cuda/triangular/schedule.hpp"

namespace terrace::cuda {
namespace {

constexpr std::array<bool, 3> all_kinds{true, true, true};

/// Levels of so many slices of 32 rows each.
struct Levels {
  explicit Levels(const std::vector<int>& slices) : first_slice(slices.size() + 1, 0) {
    std::partial_sum(slices.begin(), slices.end(), first_slice.begin() + 1);
    for (const int slice : first_slice) first_position.push_back(32 * slice);
  }
  LevelShape shape() const { return {first_slice, first_position, 2000.0, BandTuning::most_unknowns}; }
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
  EXPECT_EQ(ranges({segment(Kind::Bands, 0, 100)}), (Ranges{{0, 110}}));
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
    EXPECT_LE(segment.end_position - segment.first_position, BandTuning::most_unknowns);
}

TEST(CudaBands, HoldEveryRowOnceInTheOrderOfTheSolve) {
  for (const bool backward : {false, true}) {
    constexpr int rows = 100000, room = 3000;
    const RowBands bands = smallest_bands(rows, room, 500, backward);
    ASSERT_GT(bands.count, 1);
    EXPECT_LE(bands.rows_per_band, room);
    for (int place = 0; place < rows; ++place) {
      const int band = bands.of(backward ? rows - 1 - place : place);
      ASSERT_EQ(band, place / bands.rows_per_band);
      ASSERT_LT(band, bands.count);
    }
  }
}

TEST(CudaBands, AreNotCountedWhereTheyCannotPayOrFit) {
  constexpr int room = BandTuning::most_unknowns;
  EXPECT_EQ(smallest_bands(100000, room, BandTuning::fewest_levels - 1, false).count, 1);
  EXPECT_EQ(smallest_bands(room * BandTuning::most_bands + 1, room, 500, false).count, 1);
  EXPECT_EQ(smallest_bands(100000, 0, 500, false).count, 1);
  EXPECT_EQ(smallest_bands(BandTuning::fewest_rows - 1, room, 500, false).count, 1);
  EXPECT_EQ(smallest_bands(1000000, room, 1000000, false).count, 1);
  EXPECT_LE(smallest_bands(100000, room, 100000, false).count * 100000, BandTuning::most_counts);
}

TEST(CudaBands, AreAsManyAsIsCheapest) {
  const RowBands smallest = smallest_bands(10000, 10000, 100, false);
  ASSERT_EQ(smallest.count, BandTuning::most_bands);
  const auto chosen = [&](int room, std::vector<unsigned long long> with_bands, unsigned long long without) {
    BandCosts costs{};
    with_bands.resize(BandCosts::most_unions, 1000000);
    std::copy(with_bands.begin(), with_bands.end(), costs.with_bands);
    costs.without = without;
    return cheapest(smallest, room, 100, costs).count;
  };
  EXPECT_EQ(chosen(10000, {900000, 100000, 150000}, 800000), 64);
  EXPECT_EQ(chosen(10000, {900000, 100000, 100000}, 800000), 32);  // fewer borders
  EXPECT_EQ(chosen(99, {900000, 100000, 100000}, 800000), 1);      // no room for unions
  EXPECT_EQ(chosen(10000, {900000, 900000}, 800000), 1);
}

/// A slice for each of so many rows.
LevelShape one_level(std::vector<int>& first) { return {first, first, 2000.0, BandTuning::most_unknowns}; }

TEST(CudaSchedule, CountsBlocksOfTheWidestLevel) {
  std::vector<int> first{0, std::numeric_limits<int>::max() - 1};
  EXPECT_EQ(device_segment(one_level(first), 0, 1, 1000).blocks, 1000);
  EXPECT_EQ(level_segment(one_level(first), 0).blocks, 1 << 28);
  EXPECT_EQ(pack_blocks(first[1], 1, 1000), 1000);
}

}  // namespace
}  // namespace terrace::cuda
