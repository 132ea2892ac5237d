// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the lines of a file to compressed rows: order, mirrored halves, duplicates.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "matrix_market_file.hpp"

namespace terrace::test {
namespace {

TEST(MatrixMarket, ReadsAGeneralMatrixIntoSortedRows) {
  const auto matrix = read_text(general + "3 4 5\n3 4 7\n1 2 1.5\n3 1 -2e-3\n1 1 .5\n2 3 4.\n");
  expect_rows(matrix, {0, 2, 3, 5}, {0, 1, 2, 0, 3});
  EXPECT_EQ(matrix.real, (std::vector<double>{0.5, 1.5, 4, -2e-3, 7}));
  EXPECT_TRUE(matrix.imaginary.empty());
  EXPECT_EQ(matrix.header.rows, 3);
  EXPECT_EQ(matrix.header.columns, 4);
  EXPECT_EQ(matrix.header.stored_entries, 5);
  EXPECT_EQ(matrix.summed_duplicates, 0);
}

TEST(MatrixMarket, MirrorsASymmetricMatrix) {
  const auto matrix = read_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n3 3 4\n");
  expect_rows(matrix, {0, 2, 4, 6}, {0, 1, 0, 2, 1, 2});
  EXPECT_EQ(matrix.real, (std::vector<double>{1, 2, 2, 3, 3, 4}));
}

TEST(MatrixMarket, SortsASymmetricMatrixInAnyOrder) {
  const auto matrix = read_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n3 3 4\n3 2 3\n2 1 2\n1 1 1\n");
  expect_rows(matrix, {0, 2, 4, 6}, {0, 1, 0, 2, 1, 2});
  EXPECT_EQ(matrix.real, (std::vector<double>{1, 2, 2, 3, 3, 4}));
}

TEST(MatrixMarket, MirrorsASkewSymmetricMatrixWithTheNegative) {
  const auto matrix = read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n");
  expect_rows(matrix, {0, 1, 2}, {1, 0});
  EXPECT_EQ(matrix.real, (std::vector<double>{-3, 3}));
}

TEST(MatrixMarket, NegatesBothPartsOfAComplexSkewSymmetricMatrix) {
  const auto matrix = read_text("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 3 -4\n");
  EXPECT_EQ(matrix.real, (std::vector<double>{-3, 3}));
  EXPECT_EQ(matrix.imaginary, (std::vector<double>{4, -4}));
}

TEST(MatrixMarket, MirrorsAHermitianMatrixWithTheConjugate) {
  const auto matrix = read_text("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 5 0\n2 1 3 4\n");
  expect_rows(matrix, {0, 2, 3}, {0, 1, 0});
  EXPECT_EQ(matrix.real, (std::vector<double>{5, 3, 3}));
  EXPECT_EQ(matrix.imaginary, (std::vector<double>{0, -4, 4}));
}

TEST(MatrixMarket, MirrorsAComplexSymmetricMatrixWithoutConjugating) {
  const auto matrix = read_text("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 3 4\n");
  EXPECT_EQ(matrix.real, (std::vector<double>{3, 3}));
  EXPECT_EQ(matrix.imaginary, (std::vector<double>{4, 4}));
}

TEST(MatrixMarket, GivesPatternEntriesTheValueOne) {
  const auto matrix = read_text("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n2 1\n1 1\n2 1\n");
  expect_rows(matrix, {0, 1, 2}, {0, 0});
  EXPECT_EQ(matrix.real, (std::vector<double>{1, 1}));
  EXPECT_EQ(matrix.summed_duplicates, 1);
}

TEST(MatrixMarket, SumsDuplicatesAndCountsTheirLines) {
  const auto matrix = read_text(general + "2 3 6\n1 3 1\n1 1 2\n1 3 4\n2 2 8\n1 3 16\n2 2 32\n");
  expect_rows(matrix, {0, 2, 3}, {0, 2, 1});
  EXPECT_EQ(matrix.real, (std::vector<double>{2, 21, 40}));
  EXPECT_EQ(matrix.summed_duplicates, 3);
}

TEST(MatrixMarket, CountsAMirroredDuplicateOnce) {
  const auto matrix =
      read_text("%%MatrixMarket matrix coordinate complex hermitian\n2 2 4\n2 1 1 2\n2 2 1 0\n2 1 4 8\n2 2 2 0\n");
  expect_rows(matrix, {0, 1, 3}, {1, 0, 1});
  EXPECT_EQ(matrix.real, (std::vector<double>{5, 5, 3}));
  EXPECT_EQ(matrix.imaginary, (std::vector<double>{-10, 10, 0}));
  EXPECT_EQ(matrix.summed_duplicates, 2);
}

TEST(MatrixMarket, KeepsStoredZerosAndTheirSign) {
  const auto matrix = read_text(general + "1 2 2\n1 1 0\n1 2 -0.0\n");
  expect_rows(matrix, {0, 2}, {0, 1});
  EXPECT_FALSE(std::signbit(matrix.real[0]));
  EXPECT_TRUE(std::signbit(matrix.real[1]));
}

TEST(MatrixMarket, LeavesEmptyRowsEmpty) {
  expect_rows(read_text(general + "5 5 2\n4 5 1\n2 1 1\n"), {0, 0, 1, 1, 2, 2}, {0, 4});
}

}  // namespace
}  // namespace terrace::test
