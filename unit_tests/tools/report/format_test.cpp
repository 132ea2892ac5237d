// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/format.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace terrace::tools {
namespace {

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

}  // namespace
}  // namespace terrace::tools
