// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is missing and what repeats in a triangle, against its definition.
#include "algorithms/ldlt/host_triangle.hpp"

#include <gtest/gtest.h>

#include "support/stored_pattern.hpp"

namespace terrace {
namespace {

void expect_facts(const test::StoredPattern& stored) {
  const auto triangle = stored.view();
  std::vector<bool> has_entry(static_cast<std::size_t>(triangle.rows)), has_diagonal(has_entry.size());
  std::int64_t entries = 0;
  triangle.for_each_read([&](int row, int column, std::size_t) {
    ++entries;
    has_entry[row] = has_entry[column] = true;
    if (row == column) has_diagonal[row] = true;
  });
  const auto first_of = [](const std::vector<bool>& has) -> std::optional<std::int64_t> {
    const auto found = std::find(has.begin(), has.end(), false);
    if (found == has.end()) return std::nullopt;
    return found - has.begin();
  };
  for (const auto& graph : {sparse::compress_graph(triangle), sparse::separate_vertices(sparse::graph_of(triangle))}) {
    const auto facts = ldlt::facts_of(triangle, graph);
    EXPECT_EQ(facts.entries, entries);
    EXPECT_EQ(facts.empty_rows, std::count(has_entry.begin(), has_entry.end(), false));
    EXPECT_EQ(facts.missing_diagonals, std::count(has_diagonal.begin(), has_diagonal.end(), false));
    EXPECT_EQ(facts.first_empty_row, first_of(has_entry));
    EXPECT_EQ(facts.first_missing_diagonal, first_of(has_diagonal));
  }
}

TEST(HostTriangle, CountsWhatIsMissing) {
  reference::Random random(1);
  for (int round = 0; round < 300; ++round) {
    const int n = 1 + reference::below(random, 12);
    const auto neighbours = reference::random_pattern_with_copies(random, n, reference::below(random, n), 3);
    expect_facts(test::stored_pattern(neighbours, round % 2 == 0, round % 4 < 2, random));
    if (testing::Test::HasFailure()) return;
  }
  for (const auto& [name, neighbours] : reference::extreme_patterns())
    expect_facts(test::stored_pattern(neighbours, true, false, random));
}

TEST(HostTriangle, FindsTheFirstRowThatRepeatsAColumn) {
  reference::Random random(2);
  for (int round = 0; round < 300; ++round) {
    const int n = 2 + reference::below(random, 12);
    auto stored = test::stored_pattern(reference::random_pattern(random, n, 2 * n), true, true, random);
    if (round % 2 == 0)
      for (int row = 0; row < n; ++row)
        std::sort(stored.columns.begin() + static_cast<std::ptrdiff_t>(stored.row_map[row]),
                  stored.columns.begin() + static_cast<std::ptrdiff_t>(stored.row_map[row + 1]));
    EXPECT_EQ(ldlt::first_repeating_row(stored.view()), std::nullopt);
    std::int64_t first = n;
    for (int row = 0; row < n; ++row) {
      const std::size_t begin = stored.row_map[row], end = stored.row_map[row + 1];
      if (end - begin < 2 || reference::below(random, 3) > 0) continue;
      stored.columns[begin] = stored.columns[end - 1];
      first = std::min<std::int64_t>(first, row);
    }
    EXPECT_EQ(ldlt::first_repeating_row(stored.view()).value_or(n), first);
  }
}

}  // namespace
}  // namespace terrace
