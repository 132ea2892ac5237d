// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts the entries of each row ascending, with their sources where there are any.
//
// A short row is sorted by one thread: by insertion when it is nearly sorted or very short, else by heapsort. On a
// device a long row (the hub of a web-like graph) would keep one thread busy for seconds; Kokkos's team sort takes
// those.
#pragma once

#include <Kokkos_NestedSort.hpp>

#include "parallel/loops.hpp"
#include "sparse/crs_graph.hpp"

namespace terrace::sparse {

template <class Ordinal, class Offset, class Space>
struct SortRows {
  Kokkos::View<const Offset*, parallel::Device<Space>> row_map;
  Kokkos::View<Ordinal*, parallel::Device<Space>> entries;
  Kokkos::View<Offset*, parallel::Device<Space>> source;  // or none
  Offset longest_by_one;                                  // longer rows are left to the teams

  KOKKOS_FUNCTION void swap(Offset a, Offset b) const {
    Kokkos::kokkos_swap(entries(a), entries(b));
    if (source.data()) Kokkos::kokkos_swap(source(a), source(b));
  }

  KOKKOS_FUNCTION void insertion_sort(Offset begin, Offset end) const {
    for (Offset k = begin + 1; k < end; ++k)
      for (Offset j = k; j > begin && entries(j) < entries(j - 1); --j) swap(j, j - 1);
  }

  KOKKOS_FUNCTION void sift_down(Offset begin, Offset root, Offset size) const {
    while (root < size / 2) {  // it has children
      Offset child = 2 * root + 1;
      if (child + 1 < size && entries(begin + child) < entries(begin + child + 1)) ++child;
      if (!(entries(begin + root) < entries(begin + child))) return;
      swap(begin + root, begin + child);
      root = child;
    }
  }

  KOKKOS_FUNCTION void heap_sort(Offset begin, Offset size) const {
    for (Offset root = size / 2; root > 0; --root) sift_down(begin, root - 1, size);
    for (Offset last = size - 1; last > 0; --last) {
      swap(begin, begin + last);
      sift_down(begin, 0, last);
    }
  }

  KOKKOS_FUNCTION bool is_sorted(Offset begin, Offset end) const {
    for (Offset k = begin + 1; k < end; ++k)
      if (entries(k) < entries(k - 1)) return false;
    return true;
  }

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Offset begin = row_map(row), end = row_map(row + 1);
    if (begin + 1 >= end || end - begin > longest_by_one || is_sorted(begin, end)) return;
    if (end - begin <= 32) insertion_sort(begin, end);
    else heap_sort(begin, end - begin);
  }

  template <class Team>
  requires requires(const Team& team) { team.league_rank(); }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto row = static_cast<Ordinal>(team.league_rank());
    const Offset begin = row_map(row), end = row_map(row + 1);
    if (begin + 1 >= end || end - begin <= longest_by_one) return;
    const auto range = Kokkos::make_pair(begin, end);
    const auto row_entries = Kokkos::subview(entries, range);
    if (!source.data()) return Kokkos::Experimental::sort_team(team, row_entries);
    Kokkos::Experimental::sort_by_key_team(team, row_entries, Kokkos::subview(source, range));
  }
};

template <class Offset>
struct LongestRow {
  const Offset* row_map;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index row, Offset& longest) const {
    if (row_map[row + 1] - row_map[row] > longest) longest = row_map[row + 1] - row_map[row];
  }
};

/// On a device waits for the length of the longest row.
template <class Ordinal, class Offset, class Space>
void sort_rows(const Space& space, const CrsGraph<Ordinal, Offset, Space>& graph) {
  constexpr Offset one_thread = 512;
  const Kokkos::RangePolicy<Space, Kokkos::IndexType<Ordinal>> each_row(space, 0, graph.rows());
  const Offset longest_by_one = parallel::is_host_space<Space> ? std::numeric_limits<Offset>::max() : one_thread;
  const SortRows<Ordinal, Offset, Space> sort{graph.row_map, graph.entries, graph.source, longest_by_one};
  parallel::for_range("terrace::sparse::sort_short_rows", each_row, sort);
  if constexpr (!parallel::is_host_space<Space>) {
    Offset longest = 0;
    parallel::reduce_range("terrace::sparse::longest_row", each_row, LongestRow<Offset>{graph.row_map.data()},
                           Kokkos::Max<Offset>(longest));
    if (longest > one_thread)
      Kokkos::parallel_for("terrace::sparse::sort_long_rows",
                           Kokkos::TeamPolicy<Space>(space, graph.rows(), Kokkos::AUTO), sort);
  }
}

}  // namespace terrace::sparse
