// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second dropping rule: of a row's candidates the p largest, and of two of the same size the one further left.
#pragma once

#include "algorithms/incomplete/threshold/heap.hpp"
#include "algorithms/incomplete/threshold/working_row.hpp"

namespace terrace::incomplete {

/// Leaves the places of the `most` largest of `count` candidates in front, in the order of their columns; returns how
/// many there are. No size is a NaN.
template <class Row>
KOKKOS_FUNCTION unsigned select_largest(const Row& row, unsigned* candidates, unsigned count, unsigned most) {
  const auto is_smaller = [&](unsigned a, unsigned b) {
    return row.sizes[a] != row.sizes[b] ? row.sizes[a] < row.sizes[b] : row.columns[a] > row.columns[b];
  };
  if (most == 0) return 0;
  if (count > most) {  // the smallest of those that are kept so far comes out first
    make_heap(candidates, most, is_smaller);
    for (unsigned k = most; k < count; ++k) {
      if (!is_smaller(candidates[0], candidates[k])) continue;
      candidates[0] = candidates[k];
      sift_down(candidates, most, 0u, is_smaller);
    }
    count = most;
  }
  sort_items(candidates, count, [&](unsigned a, unsigned b) { return row.columns[a] < row.columns[b]; });
  return count;
}

}  // namespace terrace::incomplete
