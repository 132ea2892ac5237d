// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stable sort of mostly very few, or of what is mostly sorted: children of fronts.
// std::stable_sort takes memory for two of them already.
#pragma once

#include <algorithm>

namespace terrace::ldlt {

template <class Item, class Less>
void sort_few(Item* begin, Item* end, const Less& less) {
  constexpr std::ptrdiff_t few = 16;
  if (end - begin > few) return std::stable_sort(begin, end, less);
  for (Item* sorted = begin; sorted < end; ++sorted)
    for (Item* at = sorted; at > begin && less(at[0], at[-1]); --at) std::swap(at[0], at[-1]);
}

}  // namespace terrace::ldlt
