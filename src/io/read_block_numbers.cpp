// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads block numbers: a text file with one number in each line.
#include <climits>
#include <terrace/block_numbers.hpp>

#include "text_input.hpp"
#include "words.hpp"

namespace terrace {
namespace {

using io::Parsed;
using io::TextInput;

int read_number(const TextInput& input, std::string_view line) {
  io::Words words(line);
  const std::string_view word = words.next();
  std::int64_t number = 0;
  const Parsed parsed = io::parse_integer(word, number);
  if (word.empty()) input.fail("the line is empty; it must hold the number of a block");
  if (parsed == Parsed::NotANumber) input.fail("the block number " + io::quoted(word) + " is not a whole number");
  if (word.front() == '-' && (parsed == Parsed::OutOfRange || number < 0))
    input.fail("the block number " + io::quoted(word) + " is negative; blocks count from 0");
  if (parsed == Parsed::OutOfRange || number > INT_MAX)
    input.fail("the block number " + io::quoted(word) + " is beyond " + std::to_string(INT_MAX));
  const std::string_view extra = words.next();
  if (!extra.empty()) input.fail("a word too many behind the block number: " + io::quoted(extra));
  return static_cast<int>(number);
}

/// The number of lines in the whole file, of which those behind the current one are not looked at.
std::int64_t count_lines(TextInput& input) {
  std::string_view line;
  while (input.next_line(line)) {
  }
  return input.line_number();
}

[[noreturn]] void fail_count(TextInput& input, std::int64_t at, std::int64_t lines, std::int64_t rows) {
  input.fail_at(at, ErrorCode::InvalidFile,
                "the file has " + std::to_string(lines) + (lines == 1 ? " line" : " lines") +
                    "; one block number for each of " + std::to_string(rows) + (rows == 1 ? " row" : " rows") +
                    " is needed");
}

}  // namespace

std::vector<int> read_block_numbers(const std::string& path, std::optional<std::int64_t> rows) {
  TextInput input(path, {});
  std::vector<int> blocks;
  if (rows && *rows > 0) blocks.reserve(static_cast<std::size_t>(*rows));
  std::string_view line;
  while (input.next_line(line)) {
    const std::int64_t at = input.line_number();
    if (rows && at > *rows) fail_count(input, at, count_lines(input), *rows);
    blocks.push_back(read_number(input, line));
  }
  const std::int64_t lines = input.line_number();
  if (rows && lines < *rows) fail_count(input, lines + 1, lines, *rows);
  return blocks;
}

}  // namespace terrace
