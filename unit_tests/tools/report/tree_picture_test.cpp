// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/tree_picture.hpp"

#include <gtest/gtest.h>

namespace terrace::tools {
namespace {

/// Two leaves, their parent, a root.
const std::vector<LdltFront> small_tree = {{3, 1, 2, 0}, {4, 2, 2, 0}, {3, 1, 3, 1}, {2, 2, -1, 2}};

TEST(TreeBands, HaveALevelEachFromTheRootsDown) {
  const auto bands = tree_bands(small_tree, 10);
  ASSERT_EQ(bands.size(), 3U);
  EXPECT_EQ(bands[0].first_level, 2);
  EXPECT_EQ(bands[0].operations, 4 + 1);
  EXPECT_EQ(bands[2].last_level, 0);
  EXPECT_EQ(bands[2].rows, 7);
  EXPECT_EQ(bands[2].operations, 9 + 16 + 9);
}

TEST(TreeBands, HaveLargeFrontsFirst) {
  const auto bands = tree_bands(small_tree, 10);
  ASSERT_EQ(bands[2].fronts.size(), 2U);
  EXPECT_EQ(bands[2].fronts[0].rows, 4);
}

TEST(TreeBands, HaveSeveralLevelsWhereThereAreMany) {
  const auto bands = tree_bands(small_tree, 2);
  ASSERT_EQ(bands.size(), 2U);
  EXPECT_EQ(bands[0].first_level, 1);
  EXPECT_EQ(bands[0].last_level, 2);
  EXPECT_EQ(bands[1].first_level, 0);
  EXPECT_EQ(bands[1].last_level, 0);
  EXPECT_EQ(bands[0].fronts.size() + bands[1].fronts.size(), small_tree.size());
  EXPECT_EQ(tree_bands(small_tree, 1).size(), 1U);
}

TEST(TreeBands, AreNoneOfNoFronts) { EXPECT_TRUE(tree_bands({}, 5).empty()); }

}  // namespace
}  // namespace terrace::tools
