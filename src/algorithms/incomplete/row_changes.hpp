// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns in which elimination changes nothing but the diagonal, as on grids with five- and seven-point stencils: no
// row i has, with a k of its L, another column j != i that the U of k has as well. There
//
//     l_ik = a_ik / u_kk,    u_ij = a_ij,    u_ii = a_ii - sum_k l_ik a_ki,
//
// and nobody has to search for other products.
#pragma once

#include "algorithms/incomplete/merged_pattern.hpp"
#include "parallel/loops.hpp"

namespace terrace::incomplete {

template <class Ordinal, class Offset>
struct RowChanges {
  sparse::TriangleView<Ordinal, Offset> pattern;

  /// Whether a row k of its L has a column behind k, other than this row's diagonal, that this row has too.
  KOKKOS_FUNCTION bool are_off_diagonal(Ordinal row) const {
    return are_off_diagonal(row, [] { return false; });
  }
  /// Or whether `is_known()`, which is asked before what takes one thread long.
  template <class IsKnown>
  KOKKOS_FUNCTION bool are_off_diagonal(Ordinal row, const IsKnown& is_known) const {
    constexpr Offset few = 8;
    const Offset end = pattern.row_map[row + 1], diagonal = pattern.diagonal[row];
    for (Offset p = pattern.row_map[row]; p < diagonal; ++p) {
      const Ordinal k = pattern.entries[p];
      const Offset first = pattern.diagonal[k] + 1, last = pattern.row_map[k + 1], count = last - first;
      const bool is_far_longer = sparse::are_far_more(count, static_cast<Offset>(end - p));
      if (count > few && is_known()) return true;
      if (is_far_longer ? meet_by_search(p + 1, end, diagonal, first, last)
                        : meet_side_by_side(p + 1, end, diagonal, first, last))
        return true;
    }
    return false;
  }

  /// Whether that may be: looks at one column of each row k, the first one behind k. False for the second half of
  /// saddle points [D A^T; A 0] with a diagonal D.
  KOKKOS_FUNCTION bool may_be_off_diagonal(Ordinal row) const {
    const Ordinal last = last_off_diagonal(row);
    for (Offset p = pattern.row_map[row]; p < pattern.diagonal[row]; ++p)
      if (may_come_from(row, p, last)) return true;
    return false;
  }
  /// The row's last column but for its diagonal, where it has another.
  KOKKOS_FUNCTION Ordinal last_off_diagonal(Ordinal row) const {
    const Offset last = pattern.row_map[row + 1] - 1;
    return last > pattern.diagonal[row]  ? pattern.entries[last]
           : last > pattern.row_map[row] ? pattern.entries[last - 1]
                                         : row;
  }
  /// Whether the row k of this entry of L may be one that does it.
  KOKKOS_FUNCTION bool may_come_from(Ordinal row, Offset p, Ordinal last_off_diagonal) const {
    const Ordinal k = pattern.entries[p];
    Offset next = pattern.diagonal[k] + 1;
    if (next < pattern.row_map[k + 1] && pattern.entries[next] == row) ++next;
    return next < pattern.row_map[k + 1] && pattern.entries[next] <= last_off_diagonal;
  }

  /// As are_off_diagonal, where several threads take a part each: whether this one found such a column.
  KOKKOS_FUNCTION bool are_off_diagonal(Ordinal row, int thread, int threads) const {
    const Offset end = pattern.row_map[row + 1], diagonal = pattern.diagonal[row];
    bool found = false;
    for (Offset p = pattern.row_map[row]; p < diagonal; ++p) {
      const Ordinal k = pattern.entries[p];
      const Offset first = pattern.diagonal[k] + 1, last = pattern.row_map[k + 1];
      if (end - p <= last - first)
        parallel::for_entries_of_lane(p + 1, end, thread, threads, [&](Offset at) {
          found = found || (at != diagonal && has_column(first, last, pattern.entries[at]));
        });
      else
        parallel::for_entries_of_lane(first, last, thread, threads, [&](Offset q) {
          found = found || (pattern.entries[q] != row && has_column(p + 1, end, pattern.entries[q]));
        });
    }
    return found;
  }
  KOKKOS_FUNCTION bool has_column(Offset begin, Offset end, Ordinal column) const {
    return sparse::find_column(pattern.entries, begin, end, column) != end;
  }

  /// Whether a column in [at, end), but for that of the diagonal, is also in [first, last).
  KOKKOS_FUNCTION bool meet_side_by_side(Offset at, Offset end, Offset diagonal, Offset first, Offset last) const {
    for (Offset q = first; q < last && at < end; ++q) {
      at = sparse::gallop_to_column(pattern.entries, at, end, pattern.entries[q]);
      if (at < end && at != diagonal && pattern.entries[at] == pattern.entries[q]) return true;
    }
    return false;
  }
  KOKKOS_FUNCTION bool meet_by_search(Offset at, Offset end, Offset diagonal, Offset first, Offset last) const {
    for (; at < end; ++at)
      if (at != diagonal && has_column(first, last, pattern.entries[at])) return true;
    return false;
  }

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& changed) const {
    if (are_off_diagonal(row)) ++changed;
  }
};

/// Of all rows, the first ones first: where rows change each other, they nearly always are among them.
template <class Ordinal, class Offset, class Space>
bool only_pivots_change(const Space& space, const MergedPattern<Ordinal, Offset, Space>& merged) {
  constexpr Ordinal first_look = 1024;
  for (Ordinal begin = 0, end = first_look; begin < merged.count; begin = end, end = merged.count) {
    Ordinal changed = 0;
    parallel::reduce_range("terrace::incomplete::find_row_changes",
                           Kokkos::RangePolicy<Space>(space, begin, end < merged.count ? end : merged.count),
                           RowChanges<Ordinal, Offset>{merged.view()}, changed);
    if (changed > 0) return false;
  }
  return true;
}

}  // namespace terrace::incomplete
