// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the entries of a row go, place by place.
#include "algorithms/hec/split_rows.hpp"

#include <gtest/gtest.h>

#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Device = Kokkos::Device<Space, Space::memory_space>;

/// Rows (2, 0, 5), (), (1, 4, 3, 0).
struct Example {
  Kokkos::View<int*, Device> row_map = to_device<int, Device>(std::vector<int>{0, 3, 3, 7});
  Kokkos::View<int*, Device> entries = to_device<int, Device>(std::vector<int>{2, 0, 5, 1, 4, 3, 0});

  auto split(std::int64_t width) const {
    const hec::RowsOfMatrix<int, int> rows{{3, row_map.data(), entries.data()}};
    return hec::split_rows<double, int, int>(Space(), rows, 3, 7, {.width = width});
  }
};

TEST(SplitRows, StoresTheFirstEntriesByColumnsOfAMultipleOf32Rows) {
  const auto parts = Example().split(2);
  EXPECT_EQ(parts.leading, 32u);
  const auto columns = to_host(parts.ell_columns), source = to_host(parts.ell_source);
  std::vector<int> expected(64, -1), expected_source(64, -1);
  expected[0] = 2, expected[2] = 1, expected[32] = 0, expected[34] = 4;
  expected_source[0] = 0, expected_source[2] = 3, expected_source[32] = 1, expected_source[34] = 4;
  EXPECT_EQ(columns, expected);
  EXPECT_EQ(source, expected_source);
  EXPECT_EQ(to_host(parts.crs.row_map), (std::vector<int>{0, 1, 1, 3}));
  EXPECT_EQ(to_host(parts.crs.entries), (std::vector<int>{5, 3, 0}));
  EXPECT_EQ(to_host(parts.crs.source), (std::vector<int>{2, 5, 6}));
}

TEST(SplitRows, EndsCompressedRowsWithTheDiagonal) {
  const auto row_map = to_device<int, Device>(std::vector<int>{0, 2, 3, 6});
  const auto entries = to_device<int, Device>(std::vector<int>{0, 2, 1, 0, 2, 1});
  const auto diagonal = to_device<int, Device>(std::vector<int>{0, 2, 4});
  const hec::RowsOfMatrix<int, int> rows{{3, row_map.data(), entries.data()}, diagonal.data()};
  const auto parts = hec::split_rows<double, int, int>(Space(), rows, 3, 6, {.width = 1});
  EXPECT_EQ(to_host(parts.crs.row_map), (std::vector<int>{0, 1, 2, 4}));
  EXPECT_EQ(to_host(parts.crs.entries), (std::vector<int>{0, 1, 1, 2}));
  EXPECT_EQ(to_host(parts.crs.source), (std::vector<int>{0, 2, 5, 4}));
  const auto columns = to_host(parts.ell_columns);
  EXPECT_EQ((std::vector<int>(columns.begin(), columns.begin() + 4)), (std::vector<int>{2, -1, 0, -1}));
  EXPECT_EQ(parts.ell_entries, 2);
  EXPECT_EQ(parts.crs_entries, 4);
}

TEST(SplitRows, RefusesAnEllPartThatNothingCouldHold) {
  const int huge = std::numeric_limits<int>::max() - 64;
  EXPECT_THROW(hec::places_of_ell<double>(Space(), huge, static_cast<std::size_t>(huge)), Error);
  EXPECT_EQ(hec::places_of_ell<double>(Space(), 0, static_cast<std::size_t>(huge)), 0u);
}

}  // namespace
}  // namespace terrace::test
