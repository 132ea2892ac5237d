// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of block numbers, right and wrong.
#include <gtest/gtest.h>

#include <string>
#include <terrace/block_numbers.hpp>
#include <vector>

#include "matrix_market_file.hpp"

namespace terrace::test {
namespace {

std::vector<int> read_blocks(const std::string& text, std::optional<std::int64_t> rows = std::nullopt) {
  return read_block_numbers(TemporaryFile(text).path(), rows);
}

void expect_refused(const std::string& text, std::optional<std::int64_t> rows, std::int64_t line,
                    const std::string& message) {
  const TemporaryFile file(text);
  const Error error = error_of([&] { read_block_numbers(file.path(), rows); });
  EXPECT_EQ(error.what(), file.path() + ", line " + std::to_string(line) + ": " + message);
  EXPECT_EQ(error.line(), line);
  EXPECT_EQ(error.code(), ErrorCode::InvalidFile);
}

TEST(BlockNumbers, ReadsANumberFromEachLine) {
  const std::vector<int> expected = {0, 3, 1, 3};
  for (const std::string text : {"0\n3\n1\n3\n", "0\n3\n1\n3", " 0\r\n\t3 \r\n+1\r\n003\r\n"}) {
    EXPECT_EQ(read_blocks(text), expected);
    EXPECT_EQ(read_blocks(text, 4), expected);
    EXPECT_EQ(read_blocks(gzipped(text), 4), expected);
  }
  EXPECT_EQ(read_blocks("2147483647\n"), std::vector<int>{2147483647});
}

TEST(BlockNumbers, ReadsNoneForNoRows) {
  EXPECT_TRUE(read_blocks("").empty());
  EXPECT_TRUE(read_blocks("", 0).empty());
}

TEST(BlockNumbers, ReadsMoreThanABuffer) {
  std::string text;
  for (int row = 0; row < 400000; ++row) text += std::to_string(row % 512) + "\n";
  const auto blocks = read_blocks(text, 400000);
  for (int row = 0; row < 400000; ++row) ASSERT_EQ(blocks[static_cast<std::size_t>(row)], row % 512);
}

TEST(BlockNumbers, NamesTheLineWithoutABlockNumber) {
  expect_refused("0\n1\nx\n", {}, 3, "the block number 'x' is not a whole number");
  expect_refused("0\n1.5\n", {}, 2, "the block number '1.5' is not a whole number");
  expect_refused("0\n\n1\n", {}, 2, "the line is empty; it must hold the number of a block");
  expect_refused("0\n-1\n", {}, 2, "the block number '-1' is negative; blocks count from 0");
  expect_refused("-99999999999999999999\n", {}, 1,
                 "the block number '-99999999999999999999' is negative; blocks count from 0");
  expect_refused("0\n2147483648\n", {}, 2, "the block number '2147483648' is beyond 2147483647");
  expect_refused("99999999999999999999\n", {}, 1, "the block number '99999999999999999999' is beyond 2147483647");
  expect_refused("0\n1 2\n", {}, 2, "a word too many behind the block number: '2'");
  expect_refused(gzipped("0\n1\nx\n"), {}, 3, "the block number 'x' is not a whole number");
}

TEST(BlockNumbers, SaysThatLinesAreTooFewOrTooMany) {
  expect_refused("0\n1\n", 3, 3, "the file has 2 lines; one block number for each of 3 rows is needed");
  expect_refused("", 3, 1, "the file has 0 lines; one block number for each of 3 rows is needed");
  expect_refused("0\n1\n0\n2\n5", 2, 3, "the file has 5 lines; one block number for each of 2 rows is needed");
  expect_refused("0\n1\n", 1, 2, "the file has 2 lines; one block number for each of 1 row is needed");
  expect_refused("0\n1\n\n", 2, 3, "the file has 3 lines; one block number for each of 2 rows is needed");
  expect_refused("0\n", 0, 1, "the file has 1 line; one block number for each of 0 rows is needed");
}

TEST(BlockNumbers, SaysThatAFileIsMissing) {
  const std::string path = TemporaryFile("").path();  // deleted at the end of this statement
  const Error error = error_of([&] { read_block_numbers(path); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidFile);
  EXPECT_EQ(error.what(), path + ": cannot be opened: No such file or directory");
  EXPECT_FALSE(error.line());
}

TEST(BlockNumbers, SaysThatAGzipStreamIsTruncated) {
  const std::string stream = gzipped("0\n1\n2\n3\n");
  const TemporaryFile file(stream.substr(0, stream.size() - 6));
  const Error error = error_of([&] { read_block_numbers(file.path(), 4); });
  EXPECT_NE(std::string(error.what()).find("the gzip stream is truncated"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace terrace::test
