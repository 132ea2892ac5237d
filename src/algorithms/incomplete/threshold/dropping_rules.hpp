// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two rules by which an eliminated row is dropped from: what is small compared with the row of A goes, and of the
// rest the p largest on each side of the diagonal stay; of two of the same size the one further left.
#pragma once

#include "algorithms/incomplete/threshold/heap.hpp"
#include "algorithms/incomplete/threshold/rounded.hpp"
#include "algorithms/incomplete/threshold/working_row.hpp"

namespace terrace::incomplete {

struct Candidates {
  unsigned lower = 0, upper = 0;  // that the first rule leaves
  std::int64_t nonzero = 0;       // before it
  bool are_finite = true;
};

/// The first rule: places of what it leaves, left of the diagonal in front of w.selected, right of it at its end.
template <class Row>
KOKKOS_FUNCTION Candidates list_candidates(Row& w, typename Row::Ordinal row, typename Row::Real drop_below,
                                           bool want_lower) {
  using Real = typename Row::Real;
  Candidates found;
  for (unsigned k = 0; k < w.count; ++k) {
    const unsigned place = w.occupied[k];
    const auto column = w.columns[place];
    const auto value = w.values[place];
    if (column == row || (column < row && !want_lower) || value == typename Row::Scalar(0)) continue;
    ++found.nonzero;
    const Real size = rounded_size(value);
    if (size < drop_below) continue;
    const bool is_finite = triangular::is_finite(value);
    w.sizes[place] = is_finite ? size : Kokkos::Experimental::infinity_v<Real>;  // a NaN is kept, so that it is seen
    found.are_finite = found.are_finite && is_finite;
    if (column < row) w.selected[found.lower++] = place;
    else w.selected[w.capacity - ++found.upper] = place;
  }
  return found;
}

/// The second rule: leaves the places of the `most` largest of `count` candidates in front, in the order of their
/// columns; returns how many there are. No size is a NaN.
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
