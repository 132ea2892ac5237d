// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The levels that kernels find, against those of a loop, in both directions, whichever way the pattern makes them take.
#include "backends/cuda/analysis/find_row_levels.hpp"

#include <gtest/gtest.h>

#include "algorithms/incomplete/merged_pattern.hpp"
#include "reference/elimination_shapes.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

std::vector<int> levels_of_a_loop(const reference::RealMatrix& matrix, bool backward) {
  const int n = matrix.size();
  std::vector<int> level(static_cast<std::size_t>(n), 0);
  for (int place = 0; place < n; ++place) {
    const int row = backward ? n - 1 - place : place;
    for (const auto& entry : matrix.rows[row])
      if (backward ? entry.first > row : entry.first < row) level[row] = std::max(level[row], level[entry.first] + 1);
  }
  return level;
}

enum class Way { AtOnce, StepByStep };

/// Where it is not said that there are no long rows, they may be there.
template <class Offset>
std::vector<int> levels_found(const reference::RealMatrix& matrix, bool backward, Way way, bool may_have_long_rows) {
  const Kokkos::Cuda space;
  const DeviceArrays<Combination<double, Offset, Kokkos::Cuda>> arrays(reference::compress(matrix));
  sparse::Triangle<int, Offset, Kokkos::Cuda> triangle =
      incomplete::merged_rows(space, sparse::CrsGraph<int, Offset, Kokkos::Cuda>{arrays.row_map, arrays.entries, {}});
  triangle.behind_diagonal = backward;
  triangle.may_have_long_rows = may_have_long_rows;
  cuda::Arrays memory(space, "terrace::test::levels", cuda::TaskScratch::bytes(triangle.count));
  const Kokkos::View<int*, parallel::Device<Kokkos::Cuda>> level("terrace::test::level",
                                                                 static_cast<std::size_t>(triangle.count));
  const cuda::TaskScratch scratch(memory, triangle.count);
  const auto tasks = cuda::unlisted_tasks(triangle.view(), backward, triangle.entries.extent(0), scratch);
  if (way == Way::AtOnce) cuda::find_levels_at_once(space, tasks, scratch, may_have_long_rows, level.data());
  else cuda::find_levels_step_by_step(space, triangle, backward, scratch, level.data());
  space.fence();
  return to_host(level);
}

void expect_levels_of_a_loop(const reference::RealMatrix& matrix) {
  for (const bool backward : {false, true}) {
    SCOPED_TRACE(backward ? "backward" : "forward");
    const auto expected = levels_of_a_loop(matrix, backward);
    for (const bool may_have_long_rows : {false, true})
      for (const Way way : {Way::AtOnce, Way::StepByStep}) {
        SCOPED_TRACE(std::string(way == Way::AtOnce ? "at once" : "step by step") +
                     (may_have_long_rows ? ", maybe long rows" : ""));
        EXPECT_EQ(levels_found<int>(matrix, backward, way, may_have_long_rows), expected);
        EXPECT_EQ(levels_found<std::size_t>(matrix, backward, way, may_have_long_rows), expected);
      }
  }
}

TEST(FindRowLevels, AreThoseOfALoopOnEveryShape) {
  for (const auto& shape : reference::elimination_shapes()) {
    SCOPED_TRACE(shape.name);
    expect_levels_of_a_loop(shape.matrix);
  }
}

/// Rows that need the one before, in runs of so many, and so many others far before or near.
reference::RealMatrix runs_of_rows(int n, int run, int others) {
  return reference::symmetric_links(n, 53, [=](int row, std::mt19937& generator) {
    std::vector<int> columns;
    if (row % run != 0) columns.push_back(row - 1);
    for (int k = 0; k < others; ++k)
      columns.push_back(row - 1 - static_cast<int>(generator() % (k % 2 == 0 ? 40u : static_cast<unsigned>(n))));
    return columns;
  });
}

/// Windows end with tasks, before long rows, and where the matrix does.
TEST(FindRowLevels, AreThoseOfALoopWhereRowsNeedTheOneBefore) {
  for (const int n : {1, 31, 32, 33, 64, 5000, 9001})
    for (const int run : {n, 1700})
      for (const int others : {0, 1, 5, 12, 40}) {
        SCOPED_TRACE(std::to_string(n) + " rows, runs of " + std::to_string(run) + ", others " +
                     std::to_string(others));
        expect_levels_of_a_loop(runs_of_rows(n, run, others));
      }
}

TEST(FindRowLevels, AreThoseOfALoopWherePathsHaveLongRows) {
  expect_levels_of_a_loop(reference::ends_with_long_rows(reference::band(3000, 1), 3));
  expect_levels_of_a_loop(reference::tree_with_hubs(3000));
  expect_levels_of_a_loop(reference::dense_part_with_hubs(3000, 90));
}

}  // namespace
}  // namespace terrace::test
