// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line/failure.hpp"

#include <gtest/gtest.h>

namespace terrace::tools {
namespace {

TEST(Failure, MessagesNameTheFlagsOfTheCommandLine) {
  EXPECT_EQ(with_flag_names("row 1 stores no diagonal entry (insert_missing_diagonal gives it a zero)"),
            "row 1 stores no diagonal entry (--insert-diagonal gives it a zero)");
  EXPECT_EQ(with_flag_names("rows_per_task is 3; rows_per_task must be even"),
            "--rows-per-task is 3; --rows-per-task must be even");
  EXPECT_EQ(with_flag_names("blocks is 9, but there are 4 rows"), "BLOCKS of --precond ras is 9, but there are 4 rows");
  EXPECT_EQ(with_flag_names("the blocks are 8 times as large; max_growth is 4"),
            "the blocks are 8 times as large; --max-growth is 4");
  EXPECT_EQ(with_flag_names("the matrix is 2x3"), "the matrix is 2x3");
}

}  // namespace
}  // namespace terrace::tools
