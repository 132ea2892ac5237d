// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The middle of a list of numbers.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace terrace::common {

/// The mean of the two middle numbers when their count is even; NaN for an empty list.
template <class Number>
double median(std::vector<Number> numbers) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  if (numbers.size() % 2 == 1) return static_cast<double>(*middle);
  return (static_cast<double>(*middle) + static_cast<double>(*std::max_element(numbers.begin(), middle))) / 2;
}

}  // namespace terrace::common
