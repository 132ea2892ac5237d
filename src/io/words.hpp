// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes a line of text apart: words between white space, and the numbers that they spell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace terrace::io {

/// Walks over the words of a line. A carriage return counts as white space, so CRLF line ends need no care.
class Words {
 public:
  explicit Words(std::string_view line) : next_(line.data()), end_(line.data() + line.size()) {}

  /// The next word; empty when there is none.
  std::string_view next() {
    while (next_ != end_ && is_space(*next_)) ++next_;
    const char* begin = next_;
    while (next_ != end_ && !is_space(*next_)) ++next_;
    return {begin, static_cast<std::size_t>(next_ - begin)};
  }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  const char* next_;
  const char* end_;
};

enum class Parsed { Number, NotANumber, OutOfRange };

/// The whole word as a decimal integer, with an optional sign. `number` is written for Parsed::Number only.
Parsed parse_integer(std::string_view word, std::int64_t& number);

/// The whole word as a real number, whatever the locale: also `nan`, `inf` and Fortran's `1.0D+03`. A number too small
/// for a double is zero; one too large is OutOfRange. `number` is written for Parsed::Number only.
Parsed parse_real(std::string_view word, double& number);

/// The word in quotes for a message: shortened, bytes that do not print replaced.
std::string quoted(std::string_view word);

}  // namespace terrace::io
