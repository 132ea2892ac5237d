// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// diag(A_1, ..., A_k) of a square pattern A, where A_i = R_i A R_i^T for a list of rows: the lists may overlap, and
// need not cover A.
//
// Row p of the result is row original(p) of A, as far as its columns are in the list of the same block; columns have
// the numbers of the result. A column is looked up in its block's list, which ascends: O(log of the block) an entry.
// Where A's rows ascend, a row that is long for the block is walked along the list, and of one that is far longer the
// columns of the list are looked up in it: a row that reads all others would be walked once for each block.
// Entries keep the order that they have in A, which ascends where A's does.
#pragma once

#include "sparse/build_rows.hpp"
#include "sparse/find_column.hpp"

namespace terrace::sparse {

/// Lists of rows, one behind the other, each ascending.
template <class Ordinal, class Space>
struct RowLists {
  Kokkos::View<const Ordinal*, parallel::Device<Space>> list_map;  // where each list begins; one more than lists
  Kokkos::View<const Ordinal*, parallel::Device<Space>> original;  // rows of A
  Kokkos::View<const Ordinal*, parallel::Device<Space>> list_of;   // of each place in `original`
};

template <class Ordinal, class Offset>
struct VisitBlocks {
  static constexpr bool own_row = true;

  GraphView<Ordinal, Offset> from;
  const Ordinal* list_map;
  const Ordinal* original;
  const Ordinal* list_of;
  bool is_sorted;  // the rows of A

  template <class Emit>
  KOKKOS_FUNCTION void operator()(Ordinal row, const Emit& emit) const {
    const Ordinal begin = list_map[list_of[row]], end = list_map[list_of[row] + 1];
    const Offset first = from.begin(original[row]), last = from.end(original[row]);
    const auto length = static_cast<std::int64_t>(last - first), listed = static_cast<std::int64_t>(end - begin);
    if (is_sorted && are_far_more(length, listed)) return look_up_list(row, begin, end, first, last, emit);
    Ordinal behind = begin;  // the columns that were found, where both ascend and neither is far longer
    const bool walks_along = is_sorted && !are_far_more(listed, length);
    for (Offset k = first; k < last; ++k) {
      const Ordinal column = from.entries[k];
      const Ordinal place =
          walks_along ? gallop_to_column(original, behind, end, column) : place_of_column(original, begin, end, column);
      behind = place;
      if (place < end && original[place] == column) emit(row, place, k);
    }
  }

 private:
  template <class Emit>
  KOKKOS_FUNCTION void look_up_list(Ordinal row, Ordinal begin, Ordinal end, Offset first, Offset last,
                                    const Emit& emit) const {
    Offset k = first;
    for (Ordinal place = begin; place < end && k < last; ++place) {
      k = gallop_to_column(from.entries, k, last, original[place]);
      if (k < last && from.entries[k] == original[place]) emit(row, place, k);
    }
  }
};

/// `is_sorted`: the rows of A ascend. Waits for the space before it fills.
template <class Ordinal, class Offset, class Space>
CrsGraph<Ordinal, Offset, Space> extract_blocks(const Space& space, const GraphView<Ordinal, Offset>& from,
                                                const RowLists<Ordinal, Space>& lists, bool is_sorted) {
  const auto rows = static_cast<Ordinal>(lists.original.extent(0));
  return build_rows<Ordinal, Offset>(space, "terrace::sparse::extract_blocks", rows, rows,
                                     VisitBlocks<Ordinal, Offset>{from, lists.list_map.data(), lists.original.data(),
                                                                  lists.list_of.data(), is_sorted});
}

}  // namespace terrace::sparse
