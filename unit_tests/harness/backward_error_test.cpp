// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/backward_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace terrace::perf;

/// [2 . .; 1 4 .; . 3 5]
LowerTriangle small_triangle() {
  return {.n = 3, .row_map = {0, 1, 3, 5}, .entries = {0, 0, 1, 1, 2}, .values = {2, 1, 4, 3, 5}};
}

TEST(BackwardErrorOfBenchmarks, IsZeroForTheExactSolution) {
  EXPECT_EQ(backward_error(small_triangle(), false, {2, 5, 8}, {1, 1, 1}), 0);
  EXPECT_EQ(backward_error(small_triangle(), true, {3, 7, 5}, {1, 1, 1}), 0);
  EXPECT_EQ(backward_error(small_triangle(), false, {0, 0, 0}, {0, 0, 0}), 0);
}

TEST(BackwardErrorOfBenchmarks, IsTheRelativeResidualOfTheWorstRow) {
  EXPECT_DOUBLE_EQ(backward_error(small_triangle(), false, {2, 5, 8}, {1, 1, 2}), 5.0 / (3 + 10 + 8));
}

TEST(BackwardErrorOfBenchmarks, IsNanForWhatIsNotFiniteInAnyPlaceOfAnyColumn) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (const bool transposed : {false, true})
      for (std::size_t place = 0; place < 9; ++place) {
        std::vector<double> x(9, 0.0);
        x[place] = bad;
        EXPECT_TRUE(std::isnan(backward_error(small_triangle(), transposed, std::vector<double>(9, 0.0), x))) << place;
      }
}

}  // namespace
