// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The judges of the draws are right about what is right, and see what is wrong.
#include "fuzz/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace terrace::fuzz {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class Judges : public ::testing::Test {
 public:
  using Limits = std::numeric_limits<double>;
  const ScalarTraits traits{false, Limits::epsilon(), Limits::min(), Limits::denorm_min(), Limits::max(), 300};

  /// 2 on the diagonal, 1 below it.
  static TriangularSystem chain(int n) {
    TriangularSystem system;
    for (int row = 0; row < n; ++row) {
      system.rows.emplace_back();
      if (row > 0) system.rows.back().emplace_back(row - 1, 1.0);
      system.rows.back().emplace_back(row, 2.0);
    }
    return system;
  }
};

TEST_F(Judges, OfSubstitutionTakeASolutionAndNoOther) {
  const Numbers b{2.0, 3.0, 5.0}, x{1.0, 1.0, 2.0};
  EXPECT_NO_THROW(judge_substitution(chain(3), b, x, traits));
  for (std::size_t k = 0; k < 3; ++k)
    for (const double wrong : {x[k].real() * (1 + 1e-13), 0.0, nan, HUGE_VAL}) {
      Numbers other = x;
      other[k] = wrong;
      EXPECT_THROW(judge_substitution(chain(3), b, other, traits), Failed) << k << ' ' << wrong;
    }
}

TEST_F(Judges, OfSubstitutionFollowWhatIsNotFinite) {
  const Numbers b{2.0, nan, 5.0};
  EXPECT_NO_THROW(judge_substitution(chain(3), b, {1.0, nan, HUGE_VAL}, traits));
  EXPECT_THROW(judge_substitution(chain(3), b, {1.0, nan, 2.0}, traits), Failed);
  EXPECT_THROW(judge_substitution(chain(3), b, {nan, nan, nan}, traits), Failed);
  auto without_pivot = chain(3);
  without_pivot.rows[0].clear();
  EXPECT_THROW(judge_substitution(without_pivot, {2.0, 3.0, 5.0}, {1.0, 1.0, 2.0}, traits), Failed);
}

TEST_F(Judges, OfSubstitutionKnowWhatMayOverflow) {
  auto system = chain(2);
  system.rows[0] = {{0, 1e-300}};
  EXPECT_NO_THROW(judge_substitution(system, {1e300, 1.0}, {HUGE_VAL, nan}, traits));
}

TEST_F(Judges, OfSubstitutionByInvertedTilesAllowForTheirConditionAndNoMore) {
  TriangularSystem system;
  system.rows = {{{0, 1.0}}, {{0, 1e8}, {1, 1.0}}, {{1, 1.0}, {2, 1.0}}};
  const Numbers b{1.0, 1e8 + 1, 2.0};
  const auto judge = [&](double last) { judge_substitution(system, b, {1.0, 1.0, last}, traits); };
  EXPECT_NO_THROW(judge(1));
  EXPECT_THROW(judge(1 + 1e-8), Failed);
  for (const int tile : {2, 64}) {
    system.tile = tile;
    EXPECT_NO_THROW(judge(1 + 1e-8)) << tile;
    EXPECT_THROW(judge(1.01), Failed) << tile;
  }
  auto turned = system;  // from the last row to the first
  turned.is_forward = false;
  turned.rows = {{{0, 1.0}, {1, 1.0}}, {{1, 1.0}, {2, 1e8}}, {{2, 1.0}}};
  EXPECT_NO_THROW(judge_substitution(turned, {2.0, 1e8 + 1, 1.0}, {1 + 1e-8, 1.0, 1.0}, traits));
  EXPECT_THROW(judge_substitution(turned, {2.0, 1e8 + 1, 1.0}, {1.01, 1.0, 1.0}, traits), Failed);
}

TEST_F(Judges, OfAnEliminationSeeEachEntry) {
  const Rows matrix{{{0, 4.0}, {1, 2.0}}, {{0, 2.0}, {1, 5.0}}};
  const MergedFactor right{{{{0, 4.0}, {1, 2.0}}, {{0, 0.5}, {1, 4.0}}}, true};
  EXPECT_NO_THROW(judge_elimination({matrix}, right, traits));
  for (int row = 0; row < 2; ++row)
    for (int place = 0; place < 2; ++place) {
      auto wrong = right;
      wrong.rows[row][place].second *= 1 + 1e-13;
      EXPECT_THROW(judge_elimination({matrix}, wrong, traits), Failed) << row << ' ' << place;
    }
}

TEST_F(Judges, OfAnEliminationCountWhatWasDropped) {
  // (1, 2) and (2, 1) fall outside the pattern: 0.5 * 1 each.
  const Rows matrix{{{0, 2.0}, {1, 1.0}, {2, 1.0}}, {{0, 1.0}, {1, 3.0}}, {{0, 1.0}, {2, 3.0}}};
  const MergedFactor dropped{{{{0, 2.0}, {1, 1.0}, {2, 1.0}}, {{0, 0.5}, {1, 2.5}}, {{0, 0.5}, {2, 2.5}}}, true};
  EXPECT_NO_THROW(judge_elimination({matrix}, dropped, traits));
  EXPECT_THROW(judge_elimination({matrix, 1.0}, dropped, traits), Failed);
  auto kept = dropped;
  kept.rows[1][1].second = kept.rows[2][1].second = 2.0;
  EXPECT_NO_THROW(judge_elimination({matrix, 1.0}, kept, traits));
}

TEST_F(Judges, OfASolveWithAFactorSeeEachUnknownAndOperation) {
  const MergedFactor factor{{{{0, 4.0}, {1, 2.0}}, {{0, 0.5}, {1, 4.0}}}, true};
  EXPECT_NO_THROW(judge_merged_solve(factor, Op::None, {6.0, 7.0}, {1.0, 1.0}, traits));
  EXPECT_THROW(judge_merged_solve(factor, Op::None, {6.0, 7.0}, {1.0, 1.0 + 1e-12}, traits), Failed);
  EXPECT_THROW(judge_merged_solve(factor, Op::None, {6.0, 7.0}, {1.0, nan}, traits), Failed);
  EXPECT_THROW(judge_merged_solve(factor, Op::None, {6.0, nan}, {1.0, 1.0}, traits), Failed);
  const MergedFactor skew{{{{0, 4.0}, {1, 1.0}}, {{0, 0.5}, {1, 4.0}}}, true};
  EXPECT_NO_THROW(judge_merged_solve(skew, Op::Transpose, {6.0, 5.5}, {1.0, 1.0}, traits));
  EXPECT_THROW(judge_merged_solve(skew, Op::None, {6.0, 5.5}, {1.0, 1.0}, traits), Failed);
}

TEST_F(Judges, OfAProductFollowWhatIsNotFinite) {
  const Rows matrix{{{0, 1.0}}, {{1, 2.0}}};
  EXPECT_NO_THROW(judge_product(matrix, {3.0, nan}, {3.0, nan}, traits));
  EXPECT_THROW(judge_product(matrix, {3.0, nan}, {3.0, 0.0}, traits), Failed);
  EXPECT_THROW(judge_product(matrix, {3.0, 1.0}, {3.0, 2.1}, traits), Failed);
}

TEST_F(Judges, ComputeResidualsAndBackwardErrors) {
  const Rows matrix{{{0, 2.0}}, {{1, 2.0}}};
  EXPECT_DOUBLE_EQ(residual_of(matrix, {3.0, 4.0}, {1.5, 0.0}, traits).relative, 0.8);
  EXPECT_DOUBLE_EQ(backward_error(matrix, {2.0, 4.0}, {1.0, 3.0}, traits), 0.2);
  EXPECT_TRUE(std::isinf(backward_error(matrix, {2.0, 4.0}, {1.0, nan}, traits)));
  EXPECT_DOUBLE_EQ(backward_error(matrix, {2.0, 4e-30}, {1.0, 0.0}, traits), 1);
  EXPECT_DOUBLE_EQ(backward_error(matrix, {2.0, 4e-33}, {1.0, 0.0}, traits), 2e-33);
  EXPECT_DOUBLE_EQ(backward_error({{{0, 1e-40}}, {{1, 2.0}}}, {1.0, 1.0}, {1e40, 0.0}, traits), 1);
}

}  // namespace
}  // namespace terrace::fuzz
