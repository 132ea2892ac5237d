// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// diag(A_1, ..., A_k) of a square pattern A, where A_i = R_i A R_i^T for a list of rows: the lists may overlap, and
// need not cover A.
//
// Row p of the result is row original(p) of A, as far as its columns are in the list of the same block; columns have
// the numbers of the result. On devices a column is looked up in its block's list, which ascends: O(log of the block)
// an entry; where A's rows ascend, a row that is long for the block is walked along the list. On hosts each thread has
// an array that says where each row of A stands in the list it is at. Of a row that is far longer than the list, where
// A's rows ascend, the columns of the list are looked up in it: a row that reads all others would be walked once for
// each block. Entries keep the order that they have in A, which ascends where A's does.
#pragma once

#include <algorithm>

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
    if (is_sorted && are_far_more(length, listed)) return look_up_list(begin, end, first, last, row, emit);
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

  /// The same with `places`, by row of A: its place in this row's list, or negative.
  template <class Emit>
  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal begin, Ordinal end, const Ordinal* places,
                                  const Emit& emit) const {
    const Offset first = from.begin(original[row]), last = from.end(original[row]);
    const auto length = static_cast<std::int64_t>(last - first), listed = static_cast<std::int64_t>(end - begin);
    if (is_sorted && are_far_more(length, listed)) return look_up_list(begin, end, first, last, row, emit);
    for (Offset k = first; k < last; ++k)
      if (const Ordinal place = places[from.entries[k]]; place >= 0) emit(row, place, k);
  }

 private:
  template <class Emit>
  KOKKOS_FUNCTION void look_up_list(Ordinal begin, Ordinal end, Offset first, Offset last, Ordinal row,
                                    const Emit& emit) const {
    Offset k = first;
    for (Ordinal place = begin; place < end && k < last; ++place) {
      k = gallop_to_column(from.entries, k, last, original[place]);
      if (k < last && from.entries[k] == original[place]) emit(row, place, k);
    }
  }
};

/// Lists by workers of a host: visit_row(row, visit) for each row, where visit(emit) visits the row's entries.
template <class Ordinal, class Offset, class VisitRow>
struct WalkLists {
  VisitBlocks<Ordinal, Offset> visit;
  Ordinal lists;
  Ordinal* claimed;  // lists
  Ordinal* places;   // [workers][rows of A], all negative
  VisitRow visit_row;

  KOKKOS_FUNCTION void operator()(int worker) const {
    Ordinal* const own = places + static_cast<std::size_t>(worker) * static_cast<std::size_t>(visit.from.rows);
    for (Ordinal list = parallel::fetch_increment(*claimed); list < lists; list = parallel::fetch_increment(*claimed)) {
      const Ordinal begin = visit.list_map[list], end = visit.list_map[list + 1];
      for (Ordinal place = begin; place < end; ++place) own[visit.original[place]] = place;
      for (Ordinal row = begin; row < end; ++row)
        visit_row(row, [&](const auto& emit) { visit(row, begin, end, own, emit); });
      for (Ordinal place = begin; place < end; ++place) own[visit.original[place]] = Ordinal(-1);
    }
  }
};

template <class Offset>
struct CountVisited {
  Offset* lengths;
  template <class Ordinal, class Visit>
  KOKKOS_FUNCTION void operator()(Ordinal row, const Visit& visit) const {
    Offset length = 0;
    visit([&](Ordinal, Ordinal, Offset) { ++length; });
    lengths[row] = length;
  }
};

template <class Ordinal, class Offset>
struct WriteVisited {
  const Offset* row_map;
  WriteEntry<Ordinal, Offset> write;
  template <class Visit>
  KOKKOS_FUNCTION void operator()(Ordinal row, const Visit& visit) const {
    Offset at = row_map[row];
    visit([&](Ordinal, Ordinal column, Offset from) { write(at++, column, from); });
  }
};

template <class Offset>
struct SumLengths {
  const Offset* lengths;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index row, std::int64_t& sum) const {
    sum += static_cast<std::int64_t>(lengths[row]);
  }
};

/// Workers for so many lists, with an array for all rows each: no more of these than some four times the matrix.
inline int workers_for_lists(std::int64_t lists, int threads, std::int64_t rows, std::int64_t entries) {
  const std::int64_t arrays = 4 * (entries + rows) / std::max<std::int64_t>(rows, 1);
  return static_cast<int>(std::max<std::int64_t>(std::min({lists, arrays, std::int64_t(threads)}), 1));
}

/// On a host. `from` has `from_entries`. `check` is called with the number of entries before there is memory for them.
template <class Ordinal, class Offset, class Space, class Check>
CrsGraph<Ordinal, Offset, Space> extract_blocks_by_list(const Space& space, const GraphView<Ordinal, Offset>& from,
                                                        std::size_t from_entries, const RowLists<Ordinal, Space>& lists,
                                                        bool is_sorted, const Check& check) {
  const auto rows = lists.original.extent(0);
  const auto count = static_cast<Ordinal>(lists.list_map.extent(0)) - 1;
  const int workers = workers_for_lists(count, space.concurrency(), from.rows, static_cast<std::int64_t>(from_entries));
  const parallel::Scratch<Ordinal, Space> places(
      space, "terrace::sparse::places", static_cast<std::size_t>(workers) * static_cast<std::size_t>(from.rows)),
      claimed(space, "terrace::sparse::claimed_lists", 1);
  places.fill(-1);
  const VisitBlocks<Ordinal, Offset> visit{from, lists.list_map.data(), lists.original.data(), lists.list_of.data(),
                                           is_sorted};
  const auto walk = [&](const char* label, const auto& visit_row) {
    claimed.fill(0);
    parallel::for_range(label, Kokkos::RangePolicy<Space>(space, 0, workers),
                        WalkLists<Ordinal, Offset, std::decay_t<decltype(visit_row)>>{visit, count, claimed.data(),
                                                                                      places.data(), visit_row});
  };

  const parallel::Scratch<Offset, Space> lengths(space, "terrace::sparse::lengths", rows);
  walk("terrace::sparse::count_blocks", CountVisited<Offset>{lengths.data()});
  std::int64_t entries = 0;
  parallel::reduce_range("terrace::sparse::sum_lengths",
                         Kokkos::RangePolicy<Space>(space, 0, static_cast<Ordinal>(rows)),
                         SumLengths<Offset>{lengths.data()}, entries);
  check(entries);
  const auto graph = rows_of_lengths<Ordinal, Offset, Space>(space, lengths, Sources::Keep);
  walk("terrace::sparse::write_blocks",
       WriteVisited<Ordinal, Offset>{graph.row_map.data(), {graph.entries.data(), graph.source.data()}});
  return graph;
}

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
