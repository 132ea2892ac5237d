// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The orderings of this build: without METIS there is no nested dissection, without AMD no minimum degree.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "algorithms/ordering/orderings.hpp"

namespace terrace::test {

using ordering::has_minimum_degree;
using ordering::has_nested_dissection;

/// All that need nothing but the pattern.
inline std::vector<Ordering> every_ordering() {
  std::vector<Ordering> all{Ordering::Natural, Ordering::ReverseCuthillMckee, Ordering::Multicolor,
                            Ordering::Automatic};
  if (has_nested_dissection()) all.push_back(Ordering::NestedDissection);
  if (has_minimum_degree()) all.push_back(Ordering::ApproximateMinimumDegree);
  return all;
}

inline std::vector<int> shuffled_rows(int count, unsigned seed) {
  std::vector<int> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(seed));
  return rows;
}

}  // namespace terrace::test
