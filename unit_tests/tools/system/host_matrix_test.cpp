// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "system/host_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace terrace::tools {
namespace {

using Complex = std::complex<double>;

TEST(HostMatrix, TransposeTwiceIsTheSame) {
  const HostMatrix<double> triangle{3, {0, 1, 3, 5}, {0, 0, 1, 1, 2}, {2, 1, 4, 3, 5}};
  const auto columns = transpose(triangle);
  EXPECT_EQ(columns.row_map, (std::vector<std::size_t>{0, 2, 4, 5}));
  EXPECT_EQ(columns.entries, (std::vector<int>{0, 1, 1, 2, 2}));
  EXPECT_EQ(columns.values, (std::vector<double>{2, 1, 4, 3, 5}));
  EXPECT_EQ(transpose(columns).values, triangle.values);
}

/// [2 3i; -3i 4]
TEST(HostMatrix, SymmetryToldApartFromHermitianSymmetry) {
  const HostMatrix<Complex> hermitian{2, {0, 2, 4}, {0, 1, 0, 1}, {2, {0, 3}, {0, -3}, 4}};
  EXPECT_TRUE(find_symmetry(hermitian).hermitian);
  EXPECT_FALSE(find_symmetry(hermitian).symmetric);
  const HostMatrix<Complex> symmetric{2, {0, 2, 4}, {0, 1, 0, 1}, {2, {0, 3}, {0, 3}, 4}};
  EXPECT_TRUE(find_symmetry(symmetric).symmetric);
  EXPECT_FALSE(find_symmetry(symmetric).hermitian);
}

TEST(HostMatrix, NamesTheFirstRowThatDiffersFromItsMirrorImage) {
  const double nan = std::nan("");
  const HostMatrix<double> symmetric{3, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {1, 5, 5, 1, nan, nan, 1}};
  EXPECT_EQ(first_asymmetric_row(symmetric), std::nullopt);
  auto changed = symmetric;
  changed.values[5] = 4;
  EXPECT_EQ(first_asymmetric_row(changed), 1);
  const HostMatrix<double> triangle{2, {0, 1, 3}, {0, 0, 1}, {1, 5, 1}};
  EXPECT_EQ(first_asymmetric_row(triangle), 1);
  const HostMatrix<Complex> hermitian{2, {0, 2, 4}, {0, 1, 0, 1}, {2, {0, 3}, {0, -3}, 4}};
  EXPECT_EQ(first_asymmetric_row(hermitian), 0);
}

TEST(HostMatrix, CountsEntriesWithoutAMirrorImage) {
  const HostMatrix<double> matrix{2, {0, 2, 3}, {0, 1, 1}, {1, 5, 1}};
  EXPECT_FALSE(find_symmetry(matrix).structure);
  EXPECT_DOUBLE_EQ(find_symmetry(matrix).matched, 2.0 / 3.0);
}

TEST(HostMatrix, TriangleLeavesOutTheOtherSideAndAUnitDiagonal) {
  const HostMatrix<double> matrix{2, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 3, 4}};
  EXPECT_EQ(triangle_of(matrix, Uplo::Lower, Diag::NonUnit).values, (std::vector<double>{1, 3, 4}));
  EXPECT_EQ(triangle_of(matrix, Uplo::Upper, Diag::Unit).values, (std::vector<double>{2}));
}

}  // namespace
}  // namespace terrace::tools
