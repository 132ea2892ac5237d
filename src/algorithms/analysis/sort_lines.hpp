// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts the entries of each line ascending, carrying along where each came from, if anything says so.
//
// A short line is sorted by one thread: by insertion when it is nearly sorted or very short, else by
// heapsort. On a device a long line (the hub of a web-like graph) would keep one thread busy for
// seconds; Kokkos's team sort takes those.
#pragma once

#include <Kokkos_NestedSort.hpp>

#include "algorithms/analysis/pattern.hpp"

namespace terrace::analysis {

template <class Ordinal, class Offset, class Space>
struct SortLines {
  Kokkos::View<const Offset*, Device<Space>> line_map;
  Kokkos::View<Ordinal*, Device<Space>> entries;
  Kokkos::View<Offset*, Device<Space>> source;  // or none
  Offset skip_back;                             // the diagonal keeps its place at the end
  Offset longest_by_one;                        // longer lines are left to the teams

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

  KOKKOS_FUNCTION void operator()(Ordinal line) const {
    const Offset begin = line_map(line), end = line_map(line + 1) - skip_back;
    if (begin + 1 >= end || end - begin > longest_by_one || is_sorted(begin, end)) return;
    if (end - begin <= 32) insertion_sort(begin, end);
    else heap_sort(begin, end - begin);
  }

  template <class Team>
  requires requires(const Team& team) { team.league_rank(); }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto line = static_cast<Ordinal>(team.league_rank());
    const Offset begin = line_map(line), end = line_map(line + 1) - skip_back;
    if (begin + 1 >= end || end - begin <= longest_by_one) return;
    const auto range = Kokkos::make_pair(begin, end);
    const auto line_entries = Kokkos::subview(entries, range);
    if (!source.data()) return Kokkos::Experimental::sort_team(team, line_entries);
    Kokkos::Experimental::sort_by_key_team(team, line_entries, Kokkos::subview(source, range));
  }
};

template <class Ordinal, class Offset, class Space>
void sort_lines(const Space& space, SortLines<Ordinal, Offset, Space> sort, Ordinal count, Offset longest) {
  constexpr Offset one_thread = 512;
  sort.longest_by_one = is_host_space<Space> ? longest : one_thread;
  Kokkos::parallel_for("terrace::analysis::sort_short_lines", Kokkos::RangePolicy<Space>(space, 0, count), sort);
  if constexpr (!is_host_space<Space>) {
    if (longest > one_thread)
      Kokkos::parallel_for("terrace::analysis::sort_long_lines", Kokkos::TeamPolicy<Space>(space, count, Kokkos::AUTO),
                           sort);
  }
}

}  // namespace terrace::analysis
