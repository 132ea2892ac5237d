// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Banners and size lines, right and wrong.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "matrix_market_file.hpp"

namespace terrace::test {
namespace {

TEST(MatrixMarket, AcceptsWordsInAnyCase) {
  const auto matrix = read_text("%%MATRIXMARKET Matrix COORDINATE Complex Skew-Symmetric\n0 0 0\n");
  EXPECT_EQ(matrix.header.field, MatrixMarketHeader::Field::Complex);
  EXPECT_EQ(matrix.header.symmetry, MatrixMarketHeader::Symmetry::SkewSymmetric);
}

TEST(MatrixMarket, AcceptsMatricesWithoutRowsColumnsOrEntries) {
  expect_rows(read_text(general + "0 0 0\n"), {0}, {});
  expect_rows(read_text(general + "0 5 0\n"), {0}, {});
  expect_rows(read_text(general + "2 0 0\n"), {0, 0, 0}, {});
  expect_rows(read_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 0"), {0, 0, 0, 0}, {});
}

TEST(MatrixMarket, SaysThatTheBannerIsMissing) {
  const std::vector<WrongFile> files = {
      {"", 1, "the file is empty"},
      {"\n", 1, "the banner is missing"},
      {"1 1 0\n", 1, "the banner is missing"},
      {"% a comment\n", 1, "the banner is missing"},
      {"\n%%MatrixMarket matrix coordinate real general\n0 0 0\n", 1, "the banner is missing"},
      {"%MatrixMarket matrix coordinate real general\n", 1, "the banner is missing"},
  };
  expect_errors("", files);
}

TEST(MatrixMarket, NamesWhatIsWrongWithTheBanner) {
  const std::vector<WrongFile> files = {
      {"\n0 0 0\n", 1, "lacks the object word (matrix)"},
      {" coordinate real general\n", 1, "lacks the object word (matrix) before 'coordinate'"},
      {" matrix\n", 1, "lacks the format word (coordinate)"},
      {" matrix real general\n", 1, "lacks the format word (coordinate) before 'real'"},
      {" matrix coordinate\n", 1, "lacks the field word (real, integer, pattern, complex)"},
      {" matrix coordinate general\n1 1 0\n", 1,
       "lacks the field word (real, integer, pattern, complex) before 'general'"},
      {" matrix coordinate real\n1 1 0\n", 1,
       "lacks the symmetry word (general, symmetric, skew-symmetric, hermitian)"},
      {" vector coordinate real general\n", 1, "object word is 'vector'; what can be read is: matrix"},
      {" matrix array real general\n1 1\n1\n", 1, "format word is 'array'; what can be read is: coordinate"},
      {" matrix coordinate double general\n", 1, "field word is 'double'; what can be read is: real, integer"},
      {" matrix coordinate real unsymmetric\n", 1, "symmetry word is 'unsymmetric'; what can be read is: general"},
      {" matrix coordinate real general 7\n", 1, "a word too many: '7'"},
      {" matrix coordinate real hermitian\n1 1 0\n", 1, "hermitian, which needs the field complex"},
      {" matrix coordinate pattern hermitian\n1 1 0\n", 1, "hermitian, which needs the field complex"},
      {" matrix coordinate pattern skew-symmetric\n1 1 0\n", 1, "a pattern has no values to negate"},
  };
  expect_errors("%%MatrixMarket", files);
}

TEST(MatrixMarket, NamesWhatIsWrongWithTheSizeLine) {
  const std::vector<WrongFile> files = {
      {"", 1, "the file ends before its size line"},
      {"% comment\n\n", 3, "the file ends before its size line"},
      {"3\n", 2, "lacks the number of columns"},
      {"3 3\n", 2, "lacks the number of entries"},
      {"% c\n\n3 3 3 3\n", 4, "holds more than rows, columns and entries: '3'"},
      {"x 3 3\n", 2, "the number of rows, 'x', is not a whole number"},
      {"3 3.0 3\n", 2, "the number of columns, '3.0', is not a whole number"},
      {"3 3 1e3\n", 2, "the number of entries, '1e3', is not a whole number"},
      {"-3 3 0\n", 2, "the number of rows, '-3', is negative"},
      {"3 -3 0\n", 2, "the number of columns, '-3', is negative"},
      {"3 3 -1\n", 2, "the number of entries, '-1', is negative"},
      {"2147483648 1 0\n", 2, "the number of rows, '2147483648', is beyond 2147483647"},
      {"1 2147483648 0\n", 2, "the number of columns, '2147483648', is beyond 2147483647"},
      {"1 99999999999999999999 0\n", 2, "is beyond 2147483647"},
      {"1 1 9223372036854775808\n", 2, "'9223372036854775808', is beyond 9223372036854775807"},
  };
  expect_errors(general, files);
}

TEST(MatrixMarket, RefusesSymmetryOfARectangle) {
  for (const char* symmetry : {"symmetric", "skew-symmetric", "hermitian"}) {
    expect_error(std::string("%%MatrixMarket matrix coordinate complex ") + symmetry + "\n3 2 0\n", 2,
                 std::string("the matrix is 3x2, but ") + symmetry + " matrices are square");
  }
}

}  // namespace
}  // namespace terrace::test
