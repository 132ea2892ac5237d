// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "words.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace terrace::io {
namespace {

// from_chars knows no plus sign; `+-1` is left for it to refuse.
std::string_view without_plus(std::string_view word) {
  const bool plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
  return plus ? word.substr(1) : word;
}

// What stands behind the `e` of a number; as far from zero as can be added to where it fits no integer.
std::int64_t exponent_of(std::string_view word) {
  constexpr std::int64_t far = std::int64_t(1) << 62;
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), exponent);
  if (result.ec == std::errc::result_out_of_range || exponent > far) exponent = far;
  return negative ? -exponent : exponent;
}

// from_chars reports numbers too large and too small alike. The power of ten of the first digit that counts tells them
// apart, wherever the point stands and however many digits there are.
bool is_tiny(std::string_view word) {
  const std::size_t mark = std::min(word.find_first_of("eE"), word.size());
  const std::string_view digits = word.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size()), first = digits.find_first_of("123456789");
  const std::int64_t power = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) - (first < point);
  return power + exponent_of(word.substr(std::min(mark + 1, word.size()))) < 0;
}

Parsed finish(std::string_view word, std::from_chars_result result) {
  if (result.ec == std::errc::invalid_argument || result.ptr != word.data() + word.size()) return Parsed::NotANumber;
  return result.ec == std::errc() ? Parsed::Number : Parsed::OutOfRange;
}

Parsed parse_c_real(std::string_view word, std::from_chars_result result, double& number) {
  const Parsed parsed = finish(word, result);
  if (parsed != Parsed::OutOfRange || !is_tiny(word)) return parsed;
  number = word[0] == '-' ? -0.0 : 0.0;
  return Parsed::Number;
}

}  // namespace

Parsed parse_integer(std::string_view word, std::int64_t& number) {
  word = without_plus(word);
  return finish(word, std::from_chars(word.data(), word.data() + word.size(), number));
}

Parsed parse_real(std::string_view word, double& number) {
  word = without_plus(word);
  const auto result = std::from_chars(word.data(), word.data() + word.size(), number);
  const auto length = static_cast<std::size_t>(result.ptr - word.data());
  const bool fortran = length > 0 && length < word.size() && (word[length] == 'D' || word[length] == 'd');
  if (!fortran) return parse_c_real(word, result, number);
  std::string with_e(word);
  with_e[length] = 'e';
  return parse_c_real(with_e, std::from_chars(with_e.data(), with_e.data() + with_e.size(), number), number);
}

std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text = "'";
  for (const char c : word.substr(0, longest)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (word.size() > longest ? "...'" : "'");
}

}  // namespace terrace::io
