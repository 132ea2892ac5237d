// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices/matrix_source.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <set>
#include <string>

namespace {

using namespace terrace::perf;

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const Shape& shape : shapes()) names.push_back(shape.name);
  return names;
}

// GoogleTest allows letters, digits and underscores in a test's name.
std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name;
}

class EveryShape : public testing::TestWithParam<std::string> {
 protected:
  LowerTriangle make() const { return make_matrix(*find_shape(GetParam()), Size::Toy); }
};

TEST_P(EveryShape, HasHundredsToThousandsOfRowsAtToySize) {
  const LowerTriangle L = make();
  EXPECT_GE(L.n, 200);
  EXPECT_LE(L.n, 5000);
}

TEST_P(EveryShape, HasARowMapThatFitsItsArrays) {
  const LowerTriangle L = make();
  ASSERT_EQ(L.row_map.size(), static_cast<std::size_t>(L.n) + 1);
  EXPECT_EQ(L.row_map.front(), 0u);
  EXPECT_EQ(L.row_map.back(), L.entries.size());
  EXPECT_EQ(L.values.size(), L.entries.size());
}

TEST_P(EveryShape, AscendsInEachRowUpToTheDiagonal) {
  const LowerTriangle L = make();
  for (int row = 0; row < L.n; ++row) {
    ASSERT_LT(L.row_map[row], L.row_map[row + 1]) << "row " << row;
    ASSERT_GE(L.entries[L.row_map[row]], 0) << "row " << row;
    for (std::size_t k = L.row_map[row] + 1; k < L.row_map[row + 1]; ++k)
      ASSERT_LT(L.entries[k - 1], L.entries[k]) << "row " << row;
    ASSERT_EQ(L.entries[L.row_map[row + 1] - 1], row);
  }
}

// The transpose with rows and columns in reverse order is a lower triangle again.
TEST_P(EveryShape, CountsTheLevelsOfItsTranspose) {
  const LowerTriangle L = make();
  std::vector<Edge> edges;
  for (int row = 0; row < L.n; ++row)
    for (std::size_t k = L.row_map[row]; k < L.row_map[row + 1]; ++k)
      edges.emplace_back(L.n - 1 - L.entries[k], L.n - 1 - row);
  const LevelCount expected = count_levels(lower_pattern(L.n, edges)), found = count_levels_of_transpose(L);
  EXPECT_EQ(found.levels, expected.levels);
  EXPECT_EQ(found.widest, expected.widest);
}

TEST_P(EveryShape, IsStrictlyDiagonallyDominant) {
  const LowerTriangle L = make();
  for (int row = 0; row < L.n; ++row) {
    const std::size_t diagonal = L.row_map[row + 1] - 1;
    double sum = 0.0;
    for (std::size_t k = L.row_map[row]; k < diagonal; ++k) sum += std::abs(L.values[k]);
    ASSERT_LT(sum, L.values[diagonal]) << "row " << row;
  }
}

TEST_P(EveryShape, IsTheSameWhenItIsMadeAgain) {
  const LowerTriangle first = make(), second = make();
  EXPECT_EQ(first.row_map, second.row_map);
  EXPECT_EQ(first.entries, second.entries);
  EXPECT_EQ(first.values, second.values);
}

INSTANTIATE_TEST_SUITE_P(MatrixSource, EveryShape, testing::ValuesIn(shape_names()), test_name);

TEST(MatrixSource, GivesEveryShapeANameOfItsOwn) {
  const auto names = shape_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(MatrixSource, FindsNoShapeOfAnUnknownName) { EXPECT_EQ(find_shape("no-such-shape"), nullptr); }

TEST(MatrixSource, DropsLoopsAndRepetitionsOfEdges) {
  const LowerTriangle L = lower_pattern(3, {{0, 2}, {2, 0}, {1, 1}, {2, 1}});
  EXPECT_EQ(L.row_map, (std::vector<std::size_t>{0, 1, 2, 5}));
  EXPECT_EQ(L.entries, (std::vector<int>{0, 1, 0, 1, 2}));
}

TEST(MatrixSource, CountsTheLevelsOfAChainAndOfADiagonal) {
  const LevelCount chain = count_levels(lower_pattern(4, {{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(chain.levels, 4);
  EXPECT_EQ(chain.widest, 1);
  const LevelCount diagonal = count_levels(lower_pattern(4, {}));
  EXPECT_EQ(diagonal.levels, 1);
  EXPECT_EQ(diagonal.widest, 4);
  EXPECT_EQ(count_levels(lower_pattern(0, {})).levels, 0);
}

struct FullSize {
  const char* name;
  int n;
  std::size_t nnz;
  int levels;
};

// The grids are exact; takes a second. The graphs are checked by DISABLED_GraphsHaveTheSizesOfThePapers.
TEST(MatrixSource, GridsHaveTheSizesOfTheDesignTable) {
  for (const FullSize& expected :
       {FullSize{"grid7-120", 1'728'000, 6'868'800, 358}, FullSize{"grid7-148x148x58", 1'270'432, 5'042'656, 352},
        FullSize{"grid5-1024", 1'048'576, 3'143'680, 2047}, FullSize{"elastic-28", 65'856, 2'514'084, 570},
        FullSize{"kkt", 2'000'000, 28'463'592, 2}}) {
    const LowerTriangle L = find_shape(expected.name)->pattern(Size::Full);
    EXPECT_EQ(L.n, expected.n) << expected.name;
    EXPECT_EQ(L.nnz(), expected.nnz) << expected.name;
    EXPECT_EQ(count_levels(L).levels, expected.levels) << expected.name;
  }
}

void expect_near(const FullSize& expected) {
  const LowerTriangle L = find_shape(expected.name)->pattern(Size::Full);
  const auto nnz = static_cast<double>(L.nnz()), expected_nnz = static_cast<double>(expected.nnz);
  EXPECT_NEAR(L.n, expected.n, 0.01 * expected.n) << expected.name;
  EXPECT_NEAR(nnz, expected_nnz, 0.05 * expected_nnz) << expected.name;
  EXPECT_NEAR(count_levels(L).levels, expected.levels, 0.25 * expected.levels) << expected.name;
}

// n and levels of Liu 2016, "Experimental Setup"; half of its entries, and the diagonal where a graph has none.
TEST(MatrixSource, DISABLED_GraphsHaveTheSizesOfThePapers) {
  expect_near({"road", 14'077'504, 30'964'384, 15});
  expect_near({"road-large", 23'947'347, 52'801'659, 77});
  expect_near({"web", 1'048'576, 4'085'772, 406});
  expect_near({"web-crawl", 1'000'005, 2'052'770, 514});
  expect_near({"web-talk", 2'394'385, 4'905'090, 522});
  expect_near({"social", 1'048'576, 26'623'798, 1707});
  expect_near({"film-casts", 1'139'905, 58'085'569, 82'735});
  expect_near({"random-band", 500'000, 6'471'131, 4661});
  expect_near({"elastic-beam", 62'451, 2'034'917, 2397});
  expect_near({"elastic-hull", 121'728, 4'103'881, 4367});
  expect_near({"elastic-shaft", 52'804, 5'333'507, 4056});
  expect_near({"thermal-chip", 20'082, 150'616, 534});
}

}  // namespace
