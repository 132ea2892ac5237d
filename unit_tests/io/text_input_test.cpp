// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files as files: plain, gzipped, long, missing, damaged, not text.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "matrix_market_file.hpp"

namespace terrace::test {
namespace {

/// A lower bidiagonal matrix, large enough to pass through the reader's buffer several times.
std::string bidiagonal(int rows) {
  std::string text = general + std::to_string(rows) + " " + std::to_string(rows) + " " + std::to_string(2 * rows - 1);
  for (int row = 1; row <= rows; ++row) {
    const std::string name = std::to_string(row);
    if (row > 1) text += "\n" + name + " " + std::to_string(row - 1) + " -0.5";
    text += "\n" + name + " " + name + " " + name + ".25e+00";
  }
  return text + "\n";
}

TEST(MatrixMarket, ReadsLargeFilesPlainAndGzippedAlike) {
  constexpr int rows = 200000;
  const std::string text = bidiagonal(rows);
  for (const std::string& content : {text, gzipped(text)}) {
    const auto matrix = read_text(content);
    ASSERT_EQ(matrix.entries.size(), 2u * rows - 1);
    EXPECT_EQ(matrix.row_map.back(), matrix.entries.size());
    for (int row = 1; row < rows; ++row) {
      const std::size_t begin = 2u * row - 1;
      ASSERT_EQ(matrix.row_map[row], begin);
      ASSERT_EQ(matrix.entries[begin], row - 1);
      ASSERT_EQ(matrix.real[begin], -0.5);
      ASSERT_EQ(matrix.entries[begin + 1], row);
      ASSERT_EQ(matrix.real[begin + 1], row + 1.25);
    }
  }
}

TEST(MatrixMarket, ReportsProgressThatGrowsToOne) {
  const std::string text = bidiagonal(500000);
  for (const std::string& content : {text, gzipped(text)}) {
    std::vector<double> fractions;
    const TemporaryFile file(content);
    read_matrix_market(file.path(), [&](double fraction) { fractions.push_back(fraction); });
    ASSERT_GE(fractions.size(), 3u);
    EXPECT_GT(fractions.front(), 0);
    EXPECT_LT(fractions.front(), 1);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_EQ(fractions.back(), 1);
  }
}

TEST(MatrixMarket, LetsProgressGiveUp) {
  const TemporaryFile file(general + "0 0 0\n");
  EXPECT_THROW(read_matrix_market(file.path(), [](double) { throw std::runtime_error("enough"); }), std::runtime_error);
}

TEST(MatrixMarket, SaysThatAFileIsMissing) {
  const std::string path = TemporaryFile("").path();  // deleted at the end of this statement
  const Error error = error_of([&] { read_matrix_market(path); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidFile);
  EXPECT_EQ(error.what(), path + ": cannot be opened: No such file or directory");
  EXPECT_FALSE(error.line());
}

TEST(MatrixMarket, SaysThatAFileIsADirectory) {
  const Error error = error_of([] { read_matrix_market(::testing::TempDir()); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidFile);
  EXPECT_EQ(error.what(), ::testing::TempDir() + ": is a directory");
}

TEST(MatrixMarket, SaysThatAFileMayNotBeRead) {
  const TemporaryFile file(general + "0 0 0\n");
  std::filesystem::permissions(file.path(), std::filesystem::perms::none);
  if (std::ifstream(file.path())) GTEST_SKIP() << "this user may read every file";
  const Error error = error_of([&] { read_matrix_market(file.path()); });
  EXPECT_EQ(error.what(), file.path() + ": cannot be opened: Permission denied");
}

TEST(MatrixMarket, SaysThatAGzipStreamIsTruncatedWhereverItIsCut) {
  const std::string stream = gzipped(general + "2 2 2\n1 1 3\n2 2 4\n");
  for (std::size_t length = 2; length < stream.size(); ++length) {
    SCOPED_TRACE(length);
    const TemporaryFile file(stream.substr(0, length));
    const Error error = error_of([&] { read_matrix_market(file.path()); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidFile);
    EXPECT_NE(std::string(error.what()).find("the gzip stream is truncated"), std::string::npos) << error.what();
  }
}

TEST(MatrixMarket, NamesTheLineWhereAGzipStreamIsTruncated) {
  const std::string stream = gzipped(bidiagonal(200000));
  const TemporaryFile file(stream.substr(0, stream.size() / 2));
  const Error error = error_of([&] { read_matrix_market(file.path()); });
  EXPECT_NE(std::string(error.what()).find("the gzip stream is truncated"), std::string::npos) << error.what();
  EXPECT_GT(error.line().value(), 100000);
  EXPECT_LT(error.line().value(), 300000);
}

TEST(MatrixMarket, SaysThatAGzipStreamIsDamaged) {
  const std::string stream = gzipped(general + "2 2 2\n1 1 3\n2 2 4\n");
  for (const std::size_t position : {std::size_t{2}, std::size_t{10}, stream.size() - 6, stream.size() - 2}) {
    SCOPED_TRACE(position);
    std::string damaged = stream;
    damaged[position] = static_cast<char>(damaged[position] ^ 0x7f);
    expect_error(damaged, 1, "the gzip stream is damaged: ");
  }
}

TEST(MatrixMarket, RefusesNulBytes) {
  expect_error(general + "1 1 1\n1 1 " + std::string(1, '\0') + "1\n", 3, "contains a NUL byte");
  expect_error(std::string("\0\n", 2), 1, "contains a NUL byte");
}

TEST(MatrixMarket, RefusesLinesWithoutEnd) {
  expect_error(general + "1 1 1\n" + std::string(3000000, '1'), 3, "is longer than 1 MiB");
  expect_error(gzipped(std::string(3000000, 'x')), 1, "is longer than 1 MiB");
}

TEST(MatrixMarket, RefusesALineOfAGibibyteAfterTheFirstMebibyte) {
  const TemporaryFile file(general + "1 1 1\n");
  std::filesystem::resize_file(file.path(), std::uintmax_t(1) << 30);  // a hole: it takes no room on the disk
  const Error error = error_of([&] { read_matrix_market(file.path()); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidFile);
  EXPECT_EQ(error.line(), 3);
}

TEST(MatrixMarket, NamesTheRightLineBehindCrlfAndInAGzippedFile) {
  const std::string text = "%%MatrixMarket matrix coordinate real general\r\n% c\r\n2 2 2\r\n1 1 1\r\n2 x 1\r\n";
  expect_error(text, 5, "the column index 'x' is not a whole number");
  expect_error(gzipped(text), 5, "the column index 'x' is not a whole number");
}

TEST(MatrixMarket, NamesALineFarBehindTheFirstBuffer) {
  std::string text = bidiagonal(200000);
  text.replace(text.rfind("200000.25"), 9, "200000,25");
  expect_error(text, 2 + 2 * 200000 - 1, "'200000,25e+00' is not a number");
}

}  // namespace
}  // namespace terrace::test
