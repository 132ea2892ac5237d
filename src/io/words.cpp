// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "words.hpp"

#include <charconv>
#include <system_error>

namespace terrace::io {
namespace {

// from_chars knows no plus sign; `+-1` is left for it to refuse.
std::string_view without_plus(std::string_view word) {
  const bool plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
  return plus ? word.substr(1) : word;
}

// from_chars reports numbers too large and too small alike. This tells them apart without computing the number.
bool is_tiny(std::string_view word) {
  const std::size_t exponent = word.find_first_of("eE");
  if (exponent != word.npos) return word.substr(exponent + 1).starts_with('-');
  return word.substr(0, word.find('.')).find_first_of("123456789") == word.npos;
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
