// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far two vectors of numbers, real or complex, are from each other.
#pragma once

#include "reference/substitution.hpp"

namespace terrace::reference {

/// max_i |a_i - b_i|; infinite where one of them is not finite, and for vectors of different lengths.
template <class A, class B>
double largest_difference(const std::vector<A>& a, const std::vector<B>& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  LargestError largest;
  for (std::size_t i = 0; i < a.size(); ++i) largest.add(std::abs(widen(a[i]) - widen(b[i])));
  return largest.value();
}

/// The same relative to the largest number of `expected`.
template <class A, class B>
double relative_difference(const std::vector<A>& found, const std::vector<B>& expected) {
  LargestError scale, relative;
  for (const B& number : expected) scale.add(magnitude(number));
  relative.add(largest_difference(found, expected), scale.value());
  return relative.value();
}

}  // namespace terrace::reference
