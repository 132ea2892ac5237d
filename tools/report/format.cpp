// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/format.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace terrace::tools {
namespace {

std::string print(const char* format, int decimals, double number) {
  char text[64];
  std::snprintf(text, sizeof(text), format, decimals, number);
  return text;
}

std::size_t characters(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; });
}

std::string blanks_for(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, characters(text)), ' ');
}

}  // namespace

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number < 0 ? -number : number);
  std::string text = number < 0 ? "-" : "";
  for (std::size_t place = 0; place < digits.size(); ++place) {
    if (place > 0 && (digits.size() - place) % 3 == 0) text += ',';
    text += digits[place];
  }
  return text;
}

std::string fixed(double number, int decimals) { return print("%.*f", decimals, number); }

std::string scientific(double number) { return print("%.*e", 1, number); }

std::string milliseconds(double seconds) {
  const double number = seconds * 1e3;
  if (!std::isfinite(number)) return "-";
  return fixed(number, number < 1 ? 3 : number < 10 ? 2 : number < 100 ? 1 : 0);
}

std::string bytes(std::size_t number) {
  const double size = static_cast<double>(number);
  if (size < 1e3) return std::to_string(number) + " bytes";
  if (size < 1e6) return fixed(size / 1e3, 1) + " kB";
  return size < 1e9 ? fixed(size / 1e6, 1) + " MB" : fixed(size / 1e9, 1) + " GB";
}

std::string pad_left(const std::string& text, std::size_t width) { return blanks_for(text, width) + text; }

std::string pad_right(const std::string& text, std::size_t width) { return text + blanks_for(text, width); }

std::string wrap(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string result;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && characters(line) + 1 + characters(word) > width) {
      result += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + line;
}

}  // namespace terrace::tools
