// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read_entries.hpp"

#include <algorithm>
#include <utility>

#include "read_header.hpp"
#include "words.hpp"

namespace terrace::io {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

class EntryReader {
 public:
  EntryReader(TextInput& input, const MatrixMarketHeader& header) : input_(input), header_(header) {}

  Triplets read() {
    reserve();
    std::string_view line;
    for (std::int64_t found = 0; found < header_.stored_entries; ++found) {
      if (!next_data_line(input_, line)) fail_truncated(found);
      read_entry(line);
    }
    if (next_data_line(input_, line)) fail_surplus();
    return std::move(triplets_);
  }

 private:
  // The declared number is not to be trusted: a plain file bounds it by its length, for a gzipped one the vectors grow.
  void reserve() {
    constexpr std::uint64_t shortest_line = 4;  // "1 1\n"
    const std::uint64_t possible = input_.text_bytes().value_or(0) / shortest_line;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(possible, header_.stored_entries));
    triplets_.rows.reserve(count);
    triplets_.columns.reserve(count);
    if (header_.field != Field::Pattern) triplets_.real.reserve(count);
    if (header_.field == Field::Complex) triplets_.imaginary.reserve(count);
  }

  void read_entry(std::string_view line) {
    Words words(line);
    const int row = read_index(words.next(), "row", header_.rows);
    const int column = read_index(words.next(), "column", header_.columns);
    triplets_.rows.push_back(row);
    triplets_.columns.push_back(column);
    if (header_.field != Field::Pattern) triplets_.real.push_back(read_value(words.next(), "value"));
    if (header_.field == Field::Complex) triplets_.imaginary.push_back(read_value(words.next(), "imaginary part"));
    const std::string_view extra = words.next();
    if (!extra.empty()) fail_extra(extra);
    if (header_.symmetry != Symmetry::General) check_triangle(row, column);
  }

  int read_index(std::string_view word, const char* what, std::int64_t size) {
    std::int64_t index = 0;
    const Parsed parsed = parse_integer(word, index);
    if (parsed == Parsed::Number && index >= 1 && index <= size) return static_cast<int>(index - 1);
    const std::string name = std::string("the ") + what + " index";
    if (word.empty()) input_.fail(name + " is missing");
    if (parsed == Parsed::NotANumber) input_.fail(name + " " + quoted(word) + " is not a whole number");
    if (parsed == Parsed::Number && index == 0) input_.fail(name + " is 0, but indices start at 1");
    input_.fail(name + " " + quoted(word) + " is outside 1.." + std::to_string(size));
  }

  double read_value(std::string_view word, const char* what) {
    double value = 0;
    const Parsed parsed = parse_real(word, value);
    const bool fraction = header_.field == Field::Integer && word.find_first_not_of("+-0123456789") != word.npos;
    if (parsed == Parsed::Number && !fraction) return value;
    const std::string name = std::string("the ") + what;
    if (word.empty()) input_.fail(name + " is missing");
    if (parsed == Parsed::OutOfRange) input_.fail(name + " " + quoted(word) + " is too large for double precision");
    if (parsed == Parsed::NotANumber) input_.fail(name + " " + quoted(word) + " is not a number");
    input_.fail(name + " " + quoted(word) + " is not a whole number, but the banner says integer");
  }

  void check_triangle(int row, int column) {
    if (row < column) fail_position(row, column, "lies above the diagonal; this format stores the lower triangle");
    if (row != column) return;
    if (header_.symmetry == Symmetry::SkewSymmetric) {
      fail_position(row, column, "lies on the diagonal, which is zero in a skew-symmetric matrix and not stored");
    }
    if (header_.symmetry == Symmetry::Hermitian && triplets_.imaginary.back() != 0) {
      fail_position(row, column, "has an imaginary part, but the diagonal of a hermitian matrix is real");
    }
  }

  [[noreturn]] void fail_position(int row, int column, const char* message) {
    const std::string place = std::to_string(std::int64_t{row} + 1) + ", " + std::to_string(std::int64_t{column} + 1);
    input_.fail("the entry (" + place + ") " + message);
  }

  [[noreturn]] void fail_extra(std::string_view extra) {
    if (header_.field == Field::Pattern)
      input_.fail("an entry of a pattern has no value, but here is " + quoted(extra));
    input_.fail("a word too many behind the value: " + quoted(extra));
  }

  [[noreturn]] void fail_truncated(std::int64_t found) {
    input_.fail("the file ends here, after " + std::to_string(found) + " of " + std::to_string(header_.stored_entries) +
                " entries");
  }

  [[noreturn]] void fail_surplus() {
    input_.fail("the file goes on here, beyond the number of entries in its size line, " +
                std::to_string(header_.stored_entries));
  }

  TextInput& input_;
  const MatrixMarketHeader& header_;
  Triplets triplets_;
};

}  // namespace

Triplets read_entries(TextInput& input, const MatrixMarketHeader& header) { return EntryReader(input, header).read(); }

}  // namespace terrace::io
