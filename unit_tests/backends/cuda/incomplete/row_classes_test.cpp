// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found of the rows of a pattern, against what loops find: whichever rows lanes, warps or blocks look at.
#include "backends/cuda/incomplete/row_classes.hpp"

#include <gtest/gtest.h>

#include "algorithms/incomplete/merged_pattern.hpp"
#include "reference/elimination_shapes.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

template <class Space>
auto merged_rows_of(const reference::RealMatrix& matrix) {
  const DeviceArrays<Combination<double, int, Space>> arrays(reference::compress(matrix));
  return incomplete::merged_rows(Space(), sparse::CrsGraph<int, int, Space>{arrays.row_map, arrays.entries, {}});
}

void expect_what_loops_find(const reference::RealMatrix& matrix) {
  const auto on_host = merged_rows_of<Kokkos::Serial>(matrix);
  const auto pattern = on_host.view();
  cuda::incomplete::RowClasses expected{};
  const incomplete::RowChanges<int, int> changes{pattern};
  for (int row = 0; row < pattern.rows; ++row) {
    const int begin = pattern.row_map[row], diagonal = pattern.diagonal[row], end = pattern.row_map[row + 1];
    expected.max_steps = std::max(expected.max_steps, diagonal - begin);
    expected.longest = std::max(expected.longest, end - begin);
    expected.longest_upper = std::max(expected.longest_upper, end - diagonal - 1);
    expected.steps += static_cast<unsigned>(diagonal - begin);
    for (int p = begin; p < diagonal; ++p) {
      expected.operations += static_cast<unsigned>(incomplete::CountOperations<int, int>{pattern}.of(p));
      if (p == begin || pattern.entries[p - 1] + 1 != pattern.entries[p]) ++expected.runs;
    }
    if (diagonal - begin <= cuda::incomplete::longest_row_of_pivots ? changes.are_off_diagonal(row)
                                                                    : changes.may_be_off_diagonal(row))
      expected.changed = 1;
  }
  const Kokkos::Cuda space;
  const auto merged = merged_rows_of<Kokkos::Cuda>(matrix);
  const std::size_t entries = merged.entries.extent(0);
  for (const bool at_once : {true, false}) {
    SCOPED_TRACE(at_once ? "at once" : "step by step");
    cuda::Arrays memory(space, "terrace::test::classes", cuda::incomplete::ClassScratch::bytes(entries));
    const cuda::incomplete::ClassScratch scratch(memory, entries);
    const auto found = at_once ? cuda::incomplete::classify_rows_at_once(space, merged.view(), scratch)
                               : cuda::incomplete::classify_rows_step_by_step(space, merged.view(), scratch);
    EXPECT_EQ(found.max_steps, expected.max_steps);
    EXPECT_EQ(found.longest, expected.longest);
    EXPECT_EQ(found.longest_upper, expected.longest_upper);
    EXPECT_EQ(found.steps, expected.steps);
    EXPECT_EQ(found.operations, expected.operations);
    EXPECT_EQ(found.runs, expected.runs);
    EXPECT_EQ(found.changed != 0, expected.changed != 0);
  }
}

TEST(RowClasses, AreThoseThatLoopsFind) {
  for (const auto& shape : reference::elimination_shapes()) {
    SCOPED_TRACE(shape.name);
    expect_what_loops_find(shape.matrix);
  }
}

/// Two hubs that know each other, with `length` neighbours each; they have one of them in common, or none. Hubs come
/// first, where they have few entries left of their diagonals, or last.
TEST(RowClasses, AreThoseThatLoopsFindWhereRowsAreLong) {
  for (const int length : {12, 20, 60, 70, 130, 2'000, 5'000})
    for (const bool have_in_common : {false, true})
      for (const bool are_first : {false, true}) {
        SCOPED_TRACE(std::to_string(length) + (have_in_common ? ", a column in common" : "") +
                     (are_first ? ", first" : ", last"));
        const int n = 3 * length + 10;
        const auto number = [&](int row) { return are_first ? row : n - 1 - row; };
        auto matrix = reference::symmetric_links(n, 5, [](int, std::mt19937&) { return std::vector<int>{}; });
        const auto link = [&](int row, int column) {
          matrix.rows[number(row)][number(column)] = matrix.rows[number(column)][number(row)] = -0.25;
        };
        for (int k = 0; k < length; ++k) {
          link(0, 2 + 2 * k);
          link(1, 3 + 2 * k);
        }
        link(0, 1);
        if (have_in_common) link(1, 2 + 2 * (length - 1));
        expect_what_loops_find(reference::dominant(matrix));
      }
}

}  // namespace
}  // namespace terrace::test
