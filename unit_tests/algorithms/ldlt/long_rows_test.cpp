// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that come in parts add up to what they add up to as a whole.
#include "algorithms/ldlt/long_rows.hpp"

#include <gtest/gtest.h>

#include "algorithms/ldlt/residual.hpp"

namespace terrace::ldlt {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

/// Rows of 0, 1, 2, ... entries, and one of 50,000.
std::vector<std::size_t> rows_of_every_length() {
  std::vector<std::size_t> row_map{0};
  for (std::size_t length = 0; length < 40; ++length) row_map.push_back(row_map.back() + length);
  row_map.push_back(row_map.back() + 50000);
  row_map.push_back(row_map.back() + 3);
  return row_map;
}

TEST(LongRows, ArePartsOfSimilarLengthAndNotTooMany) {
  const auto row_map = rows_of_every_length();
  for (const std::size_t longest : {1, 3, 16, 100}) {
    const LongRows<Space> rows(Space(), row_map, longest);
    const auto view = rows.view();
    int next = 0;
    for (int index = 0; index < view.count; ++index) {
      const std::size_t entries = row_map[view.row[index] + 1] - row_map[view.row[index]];
      EXPECT_GT(entries, longest);
      EXPECT_EQ(view.first_part[index], next);
      std::size_t of_parts = 0;
      const auto parts = static_cast<std::size_t>(view.first_part[index + 1] - next);
      for (; next < view.first_part[index + 1]; ++next) {
        const auto part = view.part(next);
        EXPECT_EQ(part.row, view.row[index]);
        EXPECT_EQ(part.step, parts);
        of_parts += parallel::divide_up(entries - part.first, part.step);
      }
      EXPECT_EQ(of_parts, entries);
      EXPECT_LE(parts, 2 * std::sqrt(static_cast<double>(entries)));
    }
    EXPECT_EQ(view.parts, next);
    std::size_t long_ones = 0;
    for (std::size_t i = 0; i + 1 < row_map.size(); ++i) long_ones += row_map[i + 1] - row_map[i] > longest;
    EXPECT_EQ(static_cast<std::size_t>(view.count), long_ones);
  }
}

TEST(LongRows, AddUpToTheSame) {
  const auto row_map = rows_of_every_length();
  const int rows = static_cast<int>(row_map.size()) - 1;
  std::vector<int> columns(row_map.back()), source(row_map.back());
  std::vector<double> values(row_map.back()), x(2 * static_cast<std::size_t>(rows));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    columns[k] = static_cast<int>(k * 7 % static_cast<std::size_t>(rows));
    source[k] = static_cast<int>(columns.size() - 1 - k);
    values[k] = 1.0 / static_cast<double>(k + 1);
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 5) - 2;
  using Vectors = Kokkos::View<const double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  const detail::MultiVector<const double, Space> X(Vectors(x.data(), static_cast<std::size_t>(rows), 2));
  const auto sums_with = [&](std::size_t longest) {
    const LongRows<Space> long_rows(Space(), row_map, longest);
    const SymmetricRows<double, int> A{row_map.data(), columns.data(), source.data(), values.data(), long_rows.view()};
    std::vector<ErrorSum<double>> of_parts(2 * static_cast<std::size_t>(A.long_rows.parts));
    const SumParts<ErrorSum<double>, double, int, Space> sum_parts{A, X, of_parts.data()};
    for (std::size_t item = 0; item < of_parts.size(); ++item) sum_parts(static_cast<std::int64_t>(item));
    const RowSums<ErrorSum<double>, double, int, Space> sums{A, X, of_parts.data(), rows};
    std::vector<ErrorSum<double>> found(2 * static_cast<std::size_t>(rows));
    std::vector<int> times(static_cast<std::size_t>(rows), 0);
    for (int item = 0; item < A.long_rows.items(rows); ++item) {
      const int row = sums.row_of(item);
      if (row < 0) continue;
      ++times[row];
      for (int c = 0; c < 2; ++c) found[row + c * rows] = sums.sum_of(item, c);
    }
    EXPECT_EQ(times, std::vector<int>(static_cast<std::size_t>(rows), 1));
    return found;
  };
  const auto whole = sums_with(longest_row<Space>());
  for (const std::size_t longest : {1, 3, 16, 100}) {
    const auto found = sums_with(longest);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_NEAR(found[i].product.value(), whole[i].product.value(), 1e-15 * whole[i].size);
      EXPECT_NEAR(found[i].size, whole[i].size, 1e-12 * whole[i].size);
      EXPECT_EQ(found[i].widest, whole[i].widest);
    }
  }
}

}  // namespace
}  // namespace terrace::ldlt
