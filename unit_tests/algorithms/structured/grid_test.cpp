// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <terrace/grid.hpp>

namespace terrace {

TEST(Grid, NumbersItsCellsWithXFastest) {
  const Grid grid{4, 3, 2};
  EXPECT_EQ(grid.cells(), 24);
  std::int64_t number = 0;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 4; ++i, ++number) {
        EXPECT_EQ(grid.index({i, j, k}), number);
        EXPECT_EQ(grid.cell(number), (GridCell{i, j, k}));
      }
}

TEST(Grid, HasTheWavefrontsOfThePaper) {
  EXPECT_EQ((Grid{3, 3}.wavefronts()), 5);
  EXPECT_EQ((Grid{4, 2, 2}.wavefronts()), 6);
  EXPECT_EQ((Grid{}.wavefronts()), 1);
}

TEST(Grid, CountsMoreCellsThanAnIntHolds) {
  const Grid grid{2000, 2000, 2000};
  EXPECT_EQ(grid.cells(), 8'000'000'000);
  EXPECT_EQ(grid.cell(grid.index({1999, 1998, 1997})), (GridCell{1999, 1998, 1997}));
}

TEST(Grid, IsNamedByItsExtents) {
  EXPECT_EQ(to_string(Grid{4, 3}), "4 x 3");
  EXPECT_EQ(to_string(Grid{60, 220, 85}), "60 x 220 x 85");
  EXPECT_EQ(to_string(GridCell{3, 0, 2}), "(3, 0, 2)");
}

}  // namespace terrace
