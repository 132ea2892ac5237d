// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second dropping rule: of a row's candidates the p largest, and of two of the same size the one further left.
#pragma once

#include "algorithms/incomplete/threshold/heap.hpp"
#include "algorithms/incomplete/threshold/working_row.hpp"

namespace terrace::incomplete {

/// Leaves the slots of the `most` largest of `count` candidates in front, in the order of their columns; returns how
/// many there are. A NaN counts as larger than any number, so that it is kept and seen.
template <class Row>
KOKKOS_FUNCTION typename Row::Ordinal select_largest(const Row& row, typename Row::Ordinal* candidates,
                                                     typename Row::Ordinal count, typename Row::Ordinal most) {
  using Ordinal = typename Row::Ordinal;
  const auto is_smaller = [&](Ordinal a, Ordinal b) {
    const bool a_is_nan = row.sizes[a] != row.sizes[a], b_is_nan = row.sizes[b] != row.sizes[b];
    if (a_is_nan != b_is_nan) return b_is_nan;
    if (!a_is_nan && row.sizes[a] != row.sizes[b]) return row.sizes[a] < row.sizes[b];
    return row.columns[a] > row.columns[b];
  };
  if (most == 0) return 0;
  if (count > most) {  // the smallest of those that are kept so far comes out first
    make_heap(candidates, most, is_smaller);
    for (Ordinal k = most; k < count; ++k) {
      if (!is_smaller(candidates[0], candidates[k])) continue;
      candidates[0] = candidates[k];
      sift_down(candidates, most, Ordinal(0), is_smaller);
    }
    count = most;
  }
  sort_by_heap(candidates, count, [&](Ordinal a, Ordinal b) { return row.columns[a] < row.columns[b]; });
  return count;
}

}  // namespace terrace::incomplete
