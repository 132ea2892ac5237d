// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Found wherever it is: at the borders of blocks of rows, where rows begin, in row maps; and never where all is right.
#include "sparse/find_disorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace terrace::test {
namespace {

using Space = Kokkos::Serial;

/// A matrix in compressed rows, or a triangle of one.
struct Rows {
  std::vector<int> row_map{0}, entries;

  int count() const { return static_cast<int>(row_map.size()) - 1; }
  int begin(int row) const { return row_map[static_cast<std::size_t>(row)]; }
  int end(int row) const { return row_map[static_cast<std::size_t>(row) + 1]; }

  bool are_in_order(int* diagonal, bool behind_diagonal = false) const {
    return sparse::are_in_order(Space(), row_map.data(), entries.data(), entries.size(), count(), diagonal,
                                behind_diagonal);
  }
  bool are_in_order() const {
    std::vector<int> diagonal(static_cast<std::size_t>(count()));
    return are_in_order(diagonal.data());
  }
};

/// Diagonals, and other columns between `first(row)` and `last(row)` by chance.
Rows random_rows(int count, double density, const std::function<int(int)>& first, const std::function<int(int)>& last) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::bernoulli_distribution is_entry(density);
  Rows rows;
  for (int row = 0; row < count; ++row) {
    for (int column = first(row); column < last(row); ++column)
      if (column == row || is_entry(random)) rows.entries.push_back(column);
    rows.row_map.push_back(static_cast<int>(rows.entries.size()));
  }
  return rows;
}
Rows full_rows(int count) {
  return random_rows(
      count, 0.02, [](int) { return 0; }, [=](int) { return count; });
}

TEST(FindDisorder, FindsNoneInAscendingRowsAndTheirDiagonals) {
  for (const int count : {1, 2, 255, 256, 257, 1000}) {
    const Rows rows = full_rows(count);
    std::vector<int> diagonal(static_cast<std::size_t>(count), -1);
    ASSERT_TRUE(rows.are_in_order(diagonal.data())) << count;
    for (int row = 0; row < count; ++row) {
      const int place = diagonal[static_cast<std::size_t>(row)];
      ASSERT_TRUE(rows.begin(row) <= place && place < rows.end(row)) << row;
      ASSERT_EQ(rows.entries[static_cast<std::size_t>(place)], row);
    }
  }
}

TEST(FindDisorder, FindsNoneInTriangles) {
  const int count = 700;
  const Rows lower = random_rows(
      count, 0.05, [](int) { return 0; }, [](int row) { return row + 1; });
  const Rows upper = random_rows(
      count, 0.05, [](int row) { return row; }, [=](int) { return count; });
  EXPECT_TRUE(lower.are_in_order(nullptr, false));
  EXPECT_TRUE(upper.are_in_order(nullptr, true));
  EXPECT_FALSE(lower.are_in_order(nullptr, true));
  EXPECT_FALSE(upper.are_in_order(nullptr, false));
}

TEST(FindDisorder, FindsAWrongEntryAnywhere) {
  const int count = 600;
  const Rows good = full_rows(count);
  for (std::size_t place = 0; place < good.entries.size(); ++place) {
    const int row = static_cast<int>(
        std::upper_bound(good.row_map.begin(), good.row_map.end(), static_cast<int>(place)) - good.row_map.begin() - 1);
    const auto with = [&](int column) {
      Rows rows = good;
      rows.entries[place] = column;
      return rows.are_in_order();
    };
    const std::string where = "entry " + std::to_string(place) + " of row " + std::to_string(row);
    ASSERT_FALSE(with(-1)) << where;
    ASSERT_FALSE(with(count)) << where;
    if (static_cast<int>(place) > good.begin(row)) {
      ASSERT_FALSE(with(good.entries[place - 1])) << where;      // twice
      ASSERT_FALSE(with(good.entries[place - 1] - 1)) << where;  // not ascending
    }
    if (good.entries[place] == row) {
      ASSERT_FALSE(with(row + 1)) << where;  // no diagonal, or an entry twice
    }
  }
}

TEST(FindDisorder, FindsRowsWithoutADiagonalOrWithoutEntries) {
  const int count = 600;
  const Rows good = full_rows(count);
  for (int row = 0; row < count; ++row) {
    Rows rows = good;
    const auto first = rows.entries.begin() + rows.begin(row), last = rows.entries.begin() + rows.end(row);
    rows.entries.erase(std::find(first, last, row));
    for (int behind = row + 1; behind <= count; ++behind) --rows.row_map[static_cast<std::size_t>(behind)];
    ASSERT_FALSE(rows.are_in_order()) << row;
  }
  for (int row = 0; row < count; ++row) {
    Rows rows = good;
    const int length = rows.end(row) - rows.begin(row);
    rows.entries.erase(rows.entries.begin() + rows.begin(row), rows.entries.begin() + rows.end(row));
    for (int behind = row + 1; behind <= count; ++behind) rows.row_map[static_cast<std::size_t>(behind)] -= length;
    ASSERT_FALSE(rows.are_in_order()) << row;
  }
}

TEST(FindDisorder, FindsRowMapsThatLeaveTheArraysBeforeItReadsThem) {
  const Rows good = full_rows(600);
  for (std::size_t place = 0; place < good.row_map.size(); ++place)
    for (const int wrong : {-5, -1'000'000, 2'000'000'000}) {
      Rows rows = good;
      rows.row_map[place] = wrong;
      ASSERT_FALSE(rows.are_in_order()) << place;
    }
  Rows shorter = good, longer = good;
  shorter.entries.pop_back();
  longer.entries.push_back(0);
  EXPECT_FALSE(shorter.are_in_order());
  EXPECT_FALSE(longer.are_in_order());
}

}  // namespace
}  // namespace terrace::test
