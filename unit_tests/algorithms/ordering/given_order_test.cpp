// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders that a caller gives, and every way in which they can be wrong.
#include "algorithms/ordering/given_order.hpp"

#include <gtest/gtest.h>

#include <string>
#include <terrace/error.hpp>

namespace terrace {
namespace {

/// The message, or nothing.
std::string refusal(Ordering ordering, const std::vector<int>& permutation, int rows) {
  try {
    ordering::check_given_order(ordering, permutation, rows);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(GivenOrder, IsAnyPermutationOfTheRows) {
  EXPECT_EQ(refusal(Ordering::Given, {}, 0), "");
  EXPECT_EQ(refusal(Ordering::Given, {0}, 1), "");
  EXPECT_EQ(refusal(Ordering::Given, {2, 0, 3, 1}, 4), "");
  EXPECT_EQ(refusal(Ordering::Natural, {}, 4), "");
  EXPECT_EQ(refusal(Ordering::Automatic, {}, 4), "");
}

TEST(GivenOrder, NamesTheFirstPlaceThatIsOutOfRange) {
  EXPECT_TRUE(contains(refusal(Ordering::Given, {0, 3, 7}, 3), "permutation[1] is 3; the rows are 0 to 2"));
  EXPECT_TRUE(contains(refusal(Ordering::Given, {0, -1, 0}, 3), "permutation[1] is -1; the rows are 0 to 2"));
  EXPECT_TRUE(contains(refusal(Ordering::Given, {1, 2, 3}, 3), "permutation[2] is 3"));  // counted from one
}

TEST(GivenOrder, NamesTheFirstPlaceThatRepeats) {
  EXPECT_TRUE(contains(refusal(Ordering::Given, {1, 0, 0, 1, 9}, 5), "permutation[2] is 0, and so is permutation[1]"));
  EXPECT_TRUE(contains(refusal(Ordering::Given, {0, 0}, 2), "permutation[1] is 0, and so is permutation[0]"));
}

TEST(GivenOrder, HasAsManyEntriesAsTheMatrixRows) {
  EXPECT_TRUE(
      contains(refusal(Ordering::Given, {0, 1}, 3), "the permutation has 2 entries, and the matrix has 3 rows"));
  EXPECT_TRUE(contains(refusal(Ordering::Given, {}, 3), "has 0 entries"));
  EXPECT_TRUE(contains(refusal(Ordering::Given, {0}, 0), "has 1 entries"));
}

TEST(GivenOrder, NeedsTheOrderingThatTakesIt) {
  for (const auto ordering : {Ordering::Natural, Ordering::NestedDissection, Ordering::Automatic})
    EXPECT_TRUE(contains(refusal(ordering, {0, 1, 2}, 3), std::string("the ordering is ") + to_string(ordering)));
}

}  // namespace
}  // namespace terrace
