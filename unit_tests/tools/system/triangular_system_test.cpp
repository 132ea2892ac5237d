// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A judge that cannot fail would hide a wrong solver.
#include "system/triangular_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace terrace::tools {
namespace {

using Complex = std::complex<double>;

/// [2 . .; 1 4 .; . 3 5], with an imaginary part where the numbers are complex.
template <class Number>
TriangularSystem<Number> small_system(Diag diag, Op op) {
  TriangularSystem<Number> system;
  system.triangle = {.n = 3, .row_map = {0, 1, 3, 5}, .entries = {0, 0, 1, 1, 2}, .values = {2, 1, 4, 3, 5}};
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

}  // namespace
}  // namespace terrace::tools
