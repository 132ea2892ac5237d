// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// diag(A_1, ..., A_k) of a square pattern A, where A_i = R_i A R_i^T for a list of rows: the lists may overlap, and
// need not cover A.
//
// Row p of the result is row original(p) of A, as far as its columns are in the list of the same block; columns have
// the numbers of the result. A column is looked up in its block's list, which ascends: O(log of the block) an entry.
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

  template <class Emit>
  KOKKOS_FUNCTION void operator()(Ordinal row, const Emit& emit) const {
    const Ordinal begin = list_map[list_of[row]], end = list_map[list_of[row] + 1];
    for (Offset k = from.begin(original[row]); k < from.end(original[row]); ++k) {
      const Ordinal column = find_column(original, begin, end, from.entries[k]);
      if (column < end) emit(row, column, k);
    }
  }
};

/// Waits for the space before it fills.
template <class Ordinal, class Offset, class Space>
CrsGraph<Ordinal, Offset, Space> extract_blocks(const Space& space, const GraphView<Ordinal, Offset>& from,
                                                const RowLists<Ordinal, Space>& lists) {
  const auto rows = static_cast<Ordinal>(lists.original.extent(0));
  return build_rows<Ordinal, Offset>(
      space, "terrace::sparse::extract_blocks", rows, rows,
      VisitBlocks<Ordinal, Offset>{from, lists.list_map.data(), lists.original.data(), lists.list_of.data()});
}

}  // namespace terrace::sparse
