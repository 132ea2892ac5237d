// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the longest grids are cut, counted and converted. Nothing here has memory for their cells.
#include "algorithms/structured/tiles.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "algorithms/structured/make_engine.hpp"
#include "algorithms/structured/wavefronts.hpp"
#include "solvers/convert_crs.hpp"

namespace terrace::structured {
namespace {

TEST(LongestGrid, IsCutIntoBundlesOfItsLines) {
  constexpr int lines = std::numeric_limits<int>::max();
  for (const int threads : {1, 4}) {
    const int extent[] = {1, lines, 1};
    const Tiling tiling = make_tiling(extent, threads);
    EXPECT_EQ(tiling.bundles(), (Index(lines) + tiling.lines - 1) / tiling.lines);
    const Bundle last = tiling.bundle(tiling.bundles() - 1);
    EXPECT_LT(last.first_line, last.last_line);
    EXPECT_EQ(last.last_line, lines);
  }
}

TEST(LongestGrid, IsOnePieceForOneThread) {
  const int extent[] = {longest_extent, 1, 1};
  EXPECT_EQ(make_tiling(extent, 1).pieces(), 1);
  EXPECT_EQ(make_tiling(extent, 1).dependent_steps(), 1);
  EXPECT_GE(make_tiling(extent, 4).pieces(), 4 * Tiling::pieces_per_thread);
}

TEST(LongestGrid, HasMoreWavefrontsThanAnIntCounts) {
  const int extent[] = {longest_extent, longest_extent, 3};
  const Index last = 2 * Index(longest_extent) + 3 - 3;
  const Wavefront wavefront = make_wavefront(extent, last);
  EXPECT_EQ(wavefront.sum, last);
  EXPECT_EQ(wavefront.size, 1);
  EXPECT_EQ(wavefront.first_j, longest_extent - 1);
  EXPECT_EQ(wavefront.first_k, 2);
}

TEST(LongestGrid, IsTheLongestThatIsTaken) {
  check_grid({longest_extent, 1, 1});
  for (const Grid& grid :
       {Grid{longest_extent + 1, 1, 1}, Grid{1, longest_extent + 1, 1}, Grid{1, 1, longest_extent + 1}})
    EXPECT_THROW(check_grid(grid), Error) << to_string(grid);
}

/// Of a chain along y: three entries in each row but the first and the last.
TEST(LongestGrid, CountsTheEntriesBeforeARow) {
  const Stencil<double> along_y{{1, longest_extent, 1}, nullptr, {}, {}, nullptr};
  const Stencil<double> along_z{{1, 1, longest_extent}, nullptr, {}, {}, nullptr};
  for (const int row : {1, 1000, 1500000000, longest_extent - 1}) {
    const std::int64_t expected = 3 * std::int64_t(row) - 1;
    EXPECT_EQ((GatherRows<double, std::int64_t>{along_y, nullptr, nullptr, nullptr}.entries_before(0, row, 0)),
              expected);
    EXPECT_EQ((GatherRows<double, std::int64_t>{along_z, nullptr, nullptr, nullptr}.entries_before(0, 0, row)),
              expected);
  }
}

Tiling tiling_of(int nx, int ny, int nz, int threads) {
  const int extent[] = {nx, ny, nz};
  return make_tiling(extent, threads);
}

TEST(NarrowGrid, HasTilesThatFollowEachOther) {
  for (const int threads : {2, 7, 64}) {
    EXPECT_EQ(tiling_of(1000000, 1, 1, threads).tiles_at_once(), 1.0);
    EXPECT_EQ(tiling_of(1, 1, 1000000, threads).tiles_at_once(), 1.0);
    EXPECT_EQ(tiling_of(2, 250000, 2, threads).tiles_at_once(), 1.0);
  }
}

TEST(NarrowGrid, HasTilesOfAFewCells) {
  EXPECT_EQ(tiling_of(2, 2, 250000, 2).cells_of_tile(), 4);
  EXPECT_EQ(tiling_of(10, 10, 10000, 2).cells_of_tile(), 20);
}

TEST(NarrowGrid, IsOneThreadsUnlessTheCallerAsksForMore) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  for (const Grid& grid : {Grid{1000000, 1, 1}, Grid{1, 1, 1000000}, Grid{2, 250000, 2}, Grid{10, 10, 10000}}) {
    EXPECT_EQ(choose_algorithm(Space(), grid, SweepAlgorithm::Automatic).algorithm, SweepAlgorithm::Sequential);
    EXPECT_EQ(choose_algorithm(Space(), grid, SweepAlgorithm::Pipelined).algorithm, SweepAlgorithm::Pipelined);
  }
}

TEST(WideGrid, HasTilesForAllThreads) {
  for (const int threads : {2, 7, 64})
    for (const Grid& grid : {Grid{1024, 1024, 1}, Grid{120, 120, 120}, Grid{577, 577, 3}, Grid{60, 220, 85}}) {
      const Tiling tiling = tiling_of(grid.nx, grid.ny, grid.nz, threads);
      EXPECT_GE(tiling.tiles_at_once(), 1.5) << to_string(grid) << ' ' << threads;
      EXPECT_GE(tiling.cells_of_tile(), 128) << to_string(grid) << ' ' << threads;
    }
}

}  // namespace
}  // namespace terrace::structured
