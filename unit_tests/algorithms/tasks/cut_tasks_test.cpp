// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where tasks begin in matrices with lines, and in matrices without.
#include "algorithms/tasks/cut_tasks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace terrace::tasks {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

/// Rows that need the row before them, but for the first of each line.
class TaskStarts : public ::testing::Test {
 protected:
  std::vector<int> row_map{0};
  std::vector<int> entries;

  sparse::TriangleView<int, int> lines_of(const std::vector<int>& lengths) {
    for (const int length : lengths)
      for (int row = 0; row < length; ++row) {
        if (row > 0) entries.push_back(static_cast<int>(row_map.size()) - 2);
        row_map.push_back(static_cast<int>(entries.size()));
      }
    sparse::TriangleView<int, int> pattern;
    pattern.rows = static_cast<int>(row_map.size()) - 1;
    pattern.row_map = row_map.data();
    pattern.entries = entries.data();
    return pattern;
  }

  static std::vector<int> starts(const sparse::TriangleView<int, int>& pattern, const TaskLength<int>& length) {
    const auto first = cut_tasks<int, int, Space>(Space(), pattern, false, length);
    return {first.data(), first.data() + first.extent(0)};
  }
};

TEST_F(TaskStarts, DivideLinesEvenly) {
  const auto pattern = lines_of({20, 20});
  const int line = find_lines<int, int, Space>(Space(), pattern, false);
  EXPECT_EQ(line, 20);
  EXPECT_EQ(starts(pattern, TaskLength<int>::pieces_of(line, 12)), (std::vector<int>{0, 10, 20, 30, 40}));
}

TEST_F(TaskStarts, HoldSeveralWholeLines) {
  const auto pattern = lines_of({20, 20, 20, 20, 20});
  EXPECT_EQ(starts(pattern, TaskLength<int>::whole(20, 2)), (std::vector<int>{0, 40, 80, 100}));
}

TEST_F(TaskStarts, BoundTheRowsOfATaskWhereLinesAreUneven) {
  const auto pattern = lines_of({50, 4, 6});
  const int line = find_lines<int, int, Space>(Space(), pattern, false);
  EXPECT_EQ(line, 20);
  EXPECT_EQ(starts(pattern, TaskLength<int>::whole(line, 2)), (std::vector<int>{0, 40, 54, 60}));
}

TEST_F(TaskStarts, AreEquallyFarApartWithoutLines) {
  const auto pattern = lines_of(std::vector<int>(30, 2));
  EXPECT_EQ((find_lines<int, int, Space>(Space(), pattern, false)), 0);
  EXPECT_EQ(starts(pattern, {25, 0}), (std::vector<int>{0, 25, 50, 60}));
}

}  // namespace
}  // namespace terrace::tasks
