// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/find_column.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace terrace::test {
namespace {

std::vector<int> even_columns(int count) {
  std::vector<int> columns;
  for (int k = 0; k < count; ++k) columns.push_back(2 * k);
  return columns;
}

TEST(GallopToColumn, FindsThePlaceFromEveryBeginning) {
  for (const int count : {0, 1, 15, 16, 17, 33, 100}) {
    const auto columns = even_columns(count);
    for (int first = 0; first <= count; ++first)
      for (int column = -1; column <= 2 * count + 1; ++column) {
        const auto expected = std::lower_bound(columns.begin() + first, columns.end(), column) - columns.begin();
        ASSERT_EQ(sparse::gallop_to_column(columns.data(), first, count, column), expected)
            << count << " columns from " << first << " to column " << column;
      }
  }
}

TEST(GallopToColumn, StaysBeforeTheEndOfTheRange) {
  const auto columns = even_columns(200);
  for (std::size_t last = 0; last < columns.size(); ++last)
    EXPECT_EQ((sparse::gallop_to_column<int, std::size_t>(columns.data(), 0, last, 1000)), last);
}

/// A column that counts how often one is compared with another.
struct CountedColumn {
  int column;
  static inline int comparisons = 0;
  friend bool operator<(const CountedColumn& a, const CountedColumn& b) {
    ++comparisons;
    return a.column < b.column;
  }
};

TEST(GallopToColumn, LooksAtFewColumnsOfALongRow) {
  constexpr int count = 1 << 20;
  std::vector<CountedColumn> columns(count);
  for (int k = 0; k < count; ++k) columns[k].column = k;
  CountedColumn::comparisons = 0;
  EXPECT_EQ(sparse::gallop_to_column(columns.data(), 0, count, CountedColumn{count - 1}), count - 1);
  EXPECT_LE(CountedColumn::comparisons, 16 + 2 * 20);
  CountedColumn::comparisons = 0;
  EXPECT_EQ(sparse::gallop_to_column(columns.data(), 500, count, CountedColumn{503}), 503);
  EXPECT_LE(CountedColumn::comparisons, 4);
}

}  // namespace
}  // namespace terrace::test
