// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The judges and the draughtsmen of the tools: a check that cannot fail would hide a wrong solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/backward_error.hpp"
#include "support/format.hpp"
#include "support/level_picture.hpp"
#include "support/median.hpp"

namespace terrace::tools {
namespace {

using Complex = std::complex<double>;

/// [2 . .; 1 4 .; . 3 5], with an imaginary part where the numbers are complex.
template <class Number>
TriangularSystem<Number> small_system(Diag diag, Op op) {
  TriangularSystem<Number> system;
  system.triangle = {.rows = 3, .row_map = {0, 1, 3, 5}, .entries = {0, 0, 1, 1, 2}, .values = {2, 1, 4, 3, 5}};
  if constexpr (std::is_same_v<Number, Complex>) system.triangle.values[1] = {1, 2};
  system.diag = diag;
  system.op = op;
  return system;
}

TEST(BackwardError, IsZeroForTheExactSolution) {
  auto system = small_system<double>(Diag::NonUnit, Op::None);
  system.b = {2, 5, 8};
  EXPECT_EQ(backward_error(system, {1, 1, 1}), 0);
}

TEST(BackwardError, IsTheRelativeResidualOfTheWorstRow) {
  auto system = small_system<double>(Diag::NonUnit, Op::None);
  system.b = {2, 5, 8};
  EXPECT_DOUBLE_EQ(backward_error(system, {1, 1, 2}), 5.0 / (3 + 10 + 8));
}

TEST(BackwardError, SeesAWrongNumberInTheLastRightHandSide) {
  auto system = small_system<double>(Diag::NonUnit, Op::None);
  system.columns = 2;
  system.b = {2, 5, 8, 2, 5, 8};
  EXPECT_GT(backward_error(system, {1, 1, 1, 1, 1, 2}), 0.1);
}

TEST(BackwardError, IsNanForASolutionWithNanOrInf) {
  auto system = small_system<double>(Diag::NonUnit, Op::None);
  system.b = {2, 5, 8};
  EXPECT_TRUE(std::isnan(backward_error(system, {std::nan(""), 1, 1})));
  EXPECT_TRUE(std::isnan(backward_error(system, {1, 1, std::numeric_limits<double>::infinity()})));
}

TEST(BackwardError, TakesOnesForAUnitDiagonal) {
  auto system = small_system<double>(Diag::Unit, Op::None);
  system.b = {1, 2, 4};
  EXPECT_EQ(backward_error(system, {1, 1, 1}), 0);
}

TEST(BackwardError, TransposesAndConjugates) {
  auto system = small_system<Complex>(Diag::NonUnit, Op::Transpose);
  system.b = {{3, 2}, 7, 5};
  EXPECT_EQ(backward_error(system, {1, 1, 1}), 0);
  system.op = Op::ConjugateTranspose;
  EXPECT_GT(backward_error(system, {1, 1, 1}), 0.1);
  system.b[0] = {3, -2};
  EXPECT_EQ(backward_error(system, {1, 1, 1}), 0);
}

TEST(BackwardError, MadeRightHandSidesHaveTheSeedsSolution) {
  auto one = small_system<double>(Diag::NonUnit, Op::None);
  auto other = one;
  make_right_hand_sides(one, 7);
  make_right_hand_sides(other, 7);
  EXPECT_EQ(one.b, other.b);
  make_right_hand_sides(other, 8);
  EXPECT_NE(one.b, other.b);
}

TEST(HostTriangle, TransposeTwiceIsTheSame) {
  const auto triangle = small_system<double>(Diag::NonUnit, Op::None).triangle;
  const auto columns = transpose(triangle);
  EXPECT_EQ(columns.row_map, (std::vector<std::size_t>{0, 2, 4, 5}));
  EXPECT_EQ(columns.entries, (std::vector<int>{0, 1, 1, 2, 2}));
  EXPECT_EQ(columns.values, (std::vector<double>{2, 1, 4, 3, 5}));
  EXPECT_EQ(transpose(columns).values, triangle.values);
}

TEST(Median, OfOddEvenAndNoNumbers) {
  EXPECT_EQ(median(std::vector{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector{4, 1, 3, 2}), 2.5);
  EXPECT_TRUE(std::isnan(median(std::vector<int>{})));
}

TEST(Format, GroupsDigitsInThrees) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1728000), "1,728,000");
  EXPECT_EQ(grouped(-1000), "-1,000");
}

TEST(Format, KeepsThreeDigitsOfATime) {
  EXPECT_EQ(milliseconds(0.0132), "13.2");
  EXPECT_EQ(milliseconds(1.5), "1500");
  EXPECT_EQ(milliseconds(0.0000456), "0.046");
  EXPECT_EQ(milliseconds(std::nan("")), "-");
}

TEST(Format, WrapsAtBlanksAndPadsByCharacters) {
  EXPECT_EQ(wrap("one two three", 8), "one two\nthree");
  EXPECT_EQ(pad_left("é", 3), "  é");
  EXPECT_EQ(pad_right("toolong", 3), "toolong");
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
