// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/median.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace terrace::common {
namespace {

TEST(MedianOfSamples, IsTheMiddleOfAnOddNumber) { EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2.0); }

TEST(MedianOfSamples, IsTheMeanOfTheMiddleTwoOfAnEvenNumber) {
  EXPECT_EQ(median(std::vector<double>{8, 1, 2, 3}), 2.5);
  EXPECT_EQ(median(std::vector<int>{1, 2}), 1.5);
}

TEST(MedianOfSamples, IsNanOfNothing) { EXPECT_TRUE(std::isnan(median(std::vector<double>{}))); }

}  // namespace
}  // namespace terrace::common
