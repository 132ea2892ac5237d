// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <terrace/triangular_info.hpp>

namespace terrace {

TEST(TriangularOptions, AlgorithmsHaveTheNamesOfTheCommandLine) {
  EXPECT_STREQ(to_string(Algorithm::SyncFreeColumns), "sync-free-columns");
  EXPECT_STREQ(to_string(Algorithm::LevelScheduled), "level-scheduled");
  EXPECT_STREQ(to_string(Algorithm::Blocked), "blocked");
  EXPECT_STREQ(to_string(Op::ConjugateTranspose), "conjugate");
}

TEST(TriangularInfo, NamesTheFirstRowThatIsSingular) {
  TriangularInfo info;
  EXPECT_FALSE(info.first_singular_row());
  info.first_zero_diagonal = 7;
  EXPECT_EQ(info.first_singular_row(), 7);
  info.first_missing_diagonal = 3;
  EXPECT_EQ(info.first_singular_row(), 3);
}

}  // namespace terrace
