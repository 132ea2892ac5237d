// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of plain numbers.
#pragma once

#include <string>
#include <vector>

namespace terrace::common {

/// Little-endian numbers, float or double, plain or gzipped. \throws Error InvalidFile.
template <class Number>
std::vector<Number> read_numbers(const std::string& path);

}  // namespace terrace::common
