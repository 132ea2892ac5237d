// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers and lines of a report as a person reads them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace terrace::tools {

std::string grouped(std::int64_t number);                           ///< 1,728,000
std::string milliseconds(double seconds);                           ///< 13.2: three digits that count, without the unit
std::string scientific(double number);                              ///< 1.1e-16
std::string fixed(double number, int decimals);                     ///< 4827.0
std::string bytes(std::size_t number);                              ///< 82.4 MB
std::string pad_left(const std::string& text, std::size_t width);   ///< text at the right; counts characters of UTF-8
std::string pad_right(const std::string& text, std::size_t width);  ///< text at the left
std::string wrap(const std::string& text, std::size_t width);       ///< lines no longer than width, cut at blanks

/// A line of a report: a name, and what there is to say of it.
inline void print_line(const char* name, const std::string& text, int width = 16) {
  std::printf("%-*s%s\n", width, name, text.c_str());
}

}  // namespace terrace::tools
