// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stable sort of mostly very few: children of fronts. std::stable_sort takes memory for two of them already.
#pragma once

#include <algorithm>

namespace terrace::ldlt {

template <class Less>
void sort_few(int* begin, int* end, const Less& less) {
  constexpr std::ptrdiff_t few = 16;
  if (end - begin > few) return std::stable_sort(begin, end, less);
  for (int* sorted = begin; sorted < end; ++sorted)
    for (int* at = sorted; at > begin && less(at[0], at[-1]); --at) std::swap(at[0], at[-1]);
}

}  // namespace terrace::ldlt
