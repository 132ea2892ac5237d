// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For each index, the lines that list it: the other direction of every dependence.
//
// Count, scan, fill; the order within a line is whatever the threads make it, which the users of this
// (counting down in-degrees) do not see. Scratch memory of one analysis.
#pragma once

#include "algorithms/analysis/copy_lines.hpp"

namespace terrace::analysis {

/// How often each index occurs: the in-degrees when the lines are columns, the out-degrees when they are rows.
template <class Ordinal, class Offset, class Count>
struct CountOccurrences {
  Pattern<Ordinal, Offset> from;
  Count* occurrences;
  KOKKOS_FUNCTION void operator()(Ordinal line) const {
    for (Offset k = begin(line); k < end(line); ++k) entry(line, k);
  }

  KOKKOS_FUNCTION Offset begin(Ordinal line) const { return from.begin(line); }
  KOKKOS_FUNCTION Offset end(Ordinal line) const { return from.end(line); }
  KOKKOS_FUNCTION void entry(Ordinal, Offset k) const { fetch_increment(occurrences[from.entries[k]]); }
  KOKKOS_FUNCTION void finish(Ordinal) const {}
};

template <class Ordinal, class Offset>
struct FillTransposed {
  Pattern<Ordinal, Offset> from;
  Offset* next;
  Ordinal* entries;
  KOKKOS_FUNCTION void operator()(Ordinal line) const {
    for (Offset k = from.begin(line); k < from.end(line); ++k) entries[fetch_increment(next[from.entries[k]])] = line;
  }
};

template <class Ordinal, class Offset, class Space>
OwnedPattern<Ordinal, Offset, Space> transpose_pattern(const Space& space, const Pattern<Ordinal, Offset>& from) {
  const Ordinal n = from.lines;
  const Kokkos::RangePolicy<Space> each_line(space, 0, n);
  auto lengths = zeros<Offset>(space, "terrace::analysis::lengths", n);
  Kokkos::parallel_for("terrace::analysis::count_occurrences", each_line,
                       CountOccurrences<Ordinal, Offset, Offset>{from, lengths.data()});

  OwnedPattern<Ordinal, Offset, Space> transposed;
  transposed.line_map = uninitialized<Offset>(space, "terrace::analysis::line_map", static_cast<std::size_t>(n) + 1);
  const Offset total = start_lines<Ordinal, Offset, Space>(space, lengths, transposed.line_map);
  const auto next = next_places<Offset, Space>(space, transposed.line_map);
  transposed.entries = uninitialized<Ordinal>(space, "terrace::analysis::entries", total);
  Kokkos::parallel_for("terrace::analysis::fill_transposed", each_line,
                       FillTransposed<Ordinal, Offset>{from, next.data(), transposed.entries.data()});
  return transposed;
}

}  // namespace terrace::analysis
