// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/median.hpp"
#include "report/pictures.hpp"

namespace terrace::tools {
namespace {

TEST(Median, OfOddEvenAndNoNumbers) {
  EXPECT_EQ(common::median(std::vector{3, 1, 2}), 2);
  EXPECT_EQ(common::median(std::vector{4, 1, 3, 2}), 2.5);
  EXPECT_TRUE(std::isnan(common::median(std::vector<int>{})));
}

TEST(LevelPicture, HasOneBarPerLevelUpToSixteen) {
  EXPECT_EQ(level_picture({4, 2}, false),
            "      0 |######################################## 4\n      1 |#################### 2\n");
  const std::string picture = level_picture(std::vector<int>(100, 3), true);
  EXPECT_EQ(std::count(picture.begin(), picture.end(), '\n'), 16);
  EXPECT_EQ(level_picture({}, true), "");
}

TEST(LevelPicture, StatisticsCountEveryLevel) {
  const LevelStatistics levels = level_statistics({1, 2, 9});
  EXPECT_EQ(levels.levels, 3);
  EXPECT_EQ(levels.widest, 9);
  EXPECT_EQ(levels.mean, 4);
  EXPECT_EQ(levels.median, 2);
}

}  // namespace
}  // namespace terrace::tools
