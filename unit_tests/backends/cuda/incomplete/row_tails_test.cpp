// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/incomplete/row_tails.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <vector>

namespace terrace::cuda::incomplete {
namespace {

/// An order of claims with tails in it; row i has `steps[i]` entries left of its diagonal and `behind[i]` behind it.
struct CutOrder {
  std::vector<int> row_map{0}, diagonal, items;
  std::vector<RowTail> tails;

  CutOrder(const std::vector<int>& steps, const std::vector<int>& behind, const std::vector<int>& order,
           const InnerRows<int>& inner = {}) {
    for (std::size_t row = 0; row < steps.size(); ++row) {
      diagonal.push_back(row_map.back() + steps[row]);
      row_map.push_back(diagonal.back() + 1 + behind[row]);
    }
    sparse::TriangleView<int, int> pattern;
    pattern.rows = static_cast<int>(steps.size());
    pattern.row_map = row_map.data();
    pattern.diagonal = diagonal.data();
    const auto entries = static_cast<std::size_t>(row_map.back());
    const std::size_t most = max_tails(entries) + (inner.count > 0 ? max_pieces<int>(entries) : 0);
    items.resize(order.size() + most);
    tails.resize(most);
    int count = 0;
    Kokkos::parallel_scan(Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, static_cast<int>(order.size())),
                          CutRows<int>{pattern, order.data(), items.data(), tails.data(), inner}, count);
    items.resize(order.size() + static_cast<std::size_t>(count));
    tails.resize(static_cast<std::size_t>(count));
  }
};

constexpr int longest = EliminationTuning::longest_upper_of_warp, most_entries = RowTail::most_entries;

TEST(CutRows, PutsTheTailsOfARowRightBehindIt) {
  const std::vector<int> steps{0, 1, 2, 1500, 3}, behind{longest, longest + 1, 5, 10000, 0};
  const std::vector<int> order{1, 7, 3, 0, 5, 4, 2};  // 5 and 7 are numbers behind the last row
  const CutOrder cut(steps, behind, order);
  std::vector<int> found;
  std::size_t at = 0;
  while (at < cut.items.size()) {
    const int row = cut.items[at++];
    ASSERT_GE(row, 0);
    found.push_back(row);
    if (row >= 5) continue;
    for (int t = 0; t < count_tails(behind[row]); ++t) {
      const RowTail& tail = cut.tails[tail_of_item(cut.items[at++])];
      EXPECT_EQ(tail.row, row);
      EXPECT_EQ(tail.first, steps[row] + 1 + t * most_entries);
    }
  }
  EXPECT_EQ(found, order);
  EXPECT_EQ(static_cast<int>(cut.tails.size()), count_tails(longest + 1) + count_tails(10000));
}

TEST(CutRows, TailsCoverWhatStandsBehindTheDiagonal) {
  EXPECT_EQ(count_tails(longest), 0);
  for (const int behind : {longest + 1, 100 * most_entries, 100 * most_entries + 1}) {
    EXPECT_GE(count_tails(behind) * most_entries, behind);
    EXPECT_LT((count_tails(behind) - 1) * most_entries, behind);
    EXPECT_LE(static_cast<std::size_t>(count_tails(behind)), max_tails(static_cast<std::size_t>(behind)));
  }
}

TEST(CutRows, PutsPiecesInPlaceOfRowsThatAreEliminatedByInnerProducts) {
  const std::vector<int> steps{0, 700, 2, 1500, 3}, behind{longest + 1, 4, 0, longest + 9, 1};
  const std::vector<int> rows{1, 3}, first{0, 705, 705 + 1500 + 1 + longest + 9};
  const CutOrder cut(steps, behind, {0, 3, 2, 1, 4}, {rows.data(), 2, first.data(), nullptr, nullptr});
  std::vector<int> found;
  std::vector<std::vector<RowTail>> pieces(5);
  for (const int item : cut.items) {
    if (item >= 0) found.push_back(item);
    else if (const RowTail& tail = cut.tails[tail_of_item(item)]; tail.is_piece()) pieces[tail.row].push_back(tail);
  }
  EXPECT_EQ(found, (std::vector<int>{0, 5, 2, 5, 4}));  // 5 is behind the last row
  for (const int number : {0, 1}) {
    const auto& of_row = pieces[rows[number]];
    const int length = first[number + 1] - first[number];
    ASSERT_EQ(static_cast<int>(of_row.size()), parallel::divide_up(length, InnerRows<int>::entries_of_piece));
    for (int k = 0; k < static_cast<int>(of_row.size()); ++k) {
      EXPECT_EQ(of_row[k].first, k * InnerRows<int>::entries_of_piece);
      EXPECT_EQ(of_row[k].entry, first[number] + of_row[k].first);
    }
  }
}

}  // namespace
}  // namespace terrace::cuda::incomplete
