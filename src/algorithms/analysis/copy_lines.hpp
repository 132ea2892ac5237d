// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies the triangle into lines of its own: transposed when the lines shall be the other way round, sorted,
// without what lies on the wrong side of the diagonal, and with the diagonal last.
//
// Count, scan, fill, sort: entry (line, index) goes to line `index` when transposing, else stays. Threads fill a line
// in any order, and the sort makes the result independent of it. O(entries) work but for the sort
// of lines that several threads filled. A missing diagonal of a non-unit triangle gets a place whose source is
// no_source, so that kernels never look for it; its value is zero.
#pragma once

#include "algorithms/analysis/check_structure.hpp"
#include "algorithms/analysis/sort_lines.hpp"

namespace terrace::analysis {

template <class Ordinal, class Offset, class Space>
struct CountEntries {
  Pattern<Ordinal, Offset> from;  // whole lines: nothing skipped
  Offset* lengths;
  bool transpose;
  bool behind_diagonal;
  Offset diagonal;  // 1 when each line stores one

  KOKKOS_FUNCTION void operator()(Ordinal line) const {
    Offset strict = 0;
    for (Offset k = from.line_map[line]; k < from.line_map[line + 1]; ++k) {
      const Ordinal index = from.entries[k];
      if (index == line || (index > line) != behind_diagonal) continue;
      if (transpose) fetch_increment(lengths[index]);
      else ++strict;
    }
    add(lengths[line], strict + diagonal);
  }

  KOKKOS_FUNCTION void add(Offset& length, Offset more) const {
    KOKKOS_IF_ON_HOST((std::atomic_ref<Offset>(length).fetch_add(more);))
    KOKKOS_IF_ON_DEVICE((Kokkos::atomic_add(&length, more);))
  }
};

template <class Ordinal, class Offset, class Space>
struct FillEntries {
  Pattern<Ordinal, Offset> from;
  const Offset* line_map;
  Offset* next;  // the next free place of each line
  Ordinal* entries;
  Offset* source;
  bool transpose;
  bool behind_diagonal;
  bool diagonal;

  KOKKOS_FUNCTION void operator()(Ordinal line) const {
    Offset at_diagonal = Lines<Ordinal, Offset, Space>::no_source;
    for (Offset k = from.line_map[line]; k < from.line_map[line + 1]; ++k) {
      const Ordinal index = from.entries[k];
      if (index == line) at_diagonal = k;
      if (index == line || (index > line) != behind_diagonal) continue;
      place(transpose ? index : line, transpose ? line : index, k);
    }
    if (!diagonal) return;
    entries[line_map[line + 1] - 1] = line;
    source[line_map[line + 1] - 1] = at_diagonal;
  }

  KOKKOS_FUNCTION void place(Ordinal line, Ordinal index, Offset from_position) const {
    const Offset position = fetch_increment(next[line]);
    entries[position] = index;
    source[position] = from_position;
  }
};

template <class Offset>
struct LineStarts {
  const Offset* lengths;
  Offset* line_map;
  Offset count;

  template <class Index>
  KOKKOS_FUNCTION void operator()(Index line, Offset& sum, bool final) const {
    if (final) line_map[line] = sum;
    if (static_cast<Offset>(line) < count) sum += lengths[line];
  }
};

/// Fills line_map with the sums of the lengths before each line; returns the sum of all. Waits for the space.
template <class Ordinal, class Offset, class Space>
Offset start_lines(const Space& space, const Kokkos::View<Offset*, Device<Space>>& lengths,
                   const Kokkos::View<Offset*, Device<Space>>& line_map) {
  const auto count = static_cast<Ordinal>(lengths.extent(0));
  Offset total = 0;
  Kokkos::parallel_scan("terrace::analysis::line_starts", Kokkos::RangePolicy<Space>(space, 0, count + 1),
                        LineStarts<Offset>{lengths.data(), line_map.data(), static_cast<Offset>(count)}, total);
  return total;
}

/// A copy of line_map whose elements count on as lines are filled.
template <class Offset, class Space>
Kokkos::View<Offset*, Device<Space>> next_places(const Space& space,
                                                 const Kokkos::View<Offset*, Device<Space>>& line_map) {
  auto next = uninitialized<Offset>(space, "terrace::analysis::next", line_map.extent(0));
  Kokkos::deep_copy(space, next, line_map);
  return next;
}

template <class Offset>
struct LongestLine {
  const Offset* lengths;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index line, Offset& longest) const {
    if (lengths[line] > longest) longest = lengths[line];
  }
};

template <class Ordinal, class Offset, class Space>
struct FindDuplicates {
  Pattern<Ordinal, Offset> lines;
  Ordinal* first;
  bool transposed;
  KOKKOS_FUNCTION void operator()(Ordinal line) const {
    for (Offset k = lines.begin(line) + 1; k < lines.end(line); ++k)
      if (lines.entries[k] == lines.entries[k - 1]) atomic_lower(*first, transposed ? lines.entries[k] : line);
  }
};

/// Duplicates of unsorted lines show once the lines are sorted. After a transposition the line that named
/// the entry twice is the entry's index.
template <class Ordinal, class Offset, class Space>
void throw_on_duplicates(const Space& space, const Lines<Ordinal, Offset, Space>& lines,
                         const TriangularOptions& options, bool transposed) {
  auto first = uninitialized<Ordinal>(space, "terrace::analysis::first", StructureFindings::Kinds);
  Kokkos::deep_copy(space, first, lines.count);
  Kokkos::parallel_for(
      "terrace::analysis::find_duplicates", Kokkos::RangePolicy<Space>(space, 0, lines.count),
      FindDuplicates<Ordinal, Offset, Space>{lines.pattern(), first.data() + StructureFindings::Duplicate, transposed});
  throw_on_bad_entry(read_findings<Ordinal, Space>(space, first, lines.count), options);
}

/// `from` holds the caller's whole lines, checked. The result's lines gather when `gathers` says so.
template <class Ordinal, class Offset, class Space>
Lines<Ordinal, Offset, Space> copy_lines(const Space& space, const Pattern<Ordinal, Offset>& from,
                                         const TriangularOptions& options, bool transpose) {
  const Ordinal n = from.lines;
  const bool behind = lies_behind_diagonal(options);
  const Offset diagonal = options.diag == Diag::NonUnit ? 1 : 0;
  const Kokkos::RangePolicy<Space> each_line(space, 0, n);

  auto lengths = zeros<Offset>(space, "terrace::analysis::lengths", n);
  Kokkos::parallel_for("terrace::analysis::count_entries", each_line,
                       CountEntries<Ordinal, Offset, Space>{from, lengths.data(), transpose, behind, diagonal});

  auto line_map = uninitialized<Offset>(space, "terrace::lines::line_map", static_cast<std::size_t>(n) + 1);
  const Offset total = start_lines<Ordinal, Offset, Space>(space, lengths, line_map);
  const auto next = next_places<Offset, Space>(space, line_map);
  Offset longest = 0;
  Kokkos::parallel_reduce("terrace::analysis::longest_line", each_line, LongestLine<Offset>{lengths.data()},
                          Kokkos::Max<Offset>(longest));

  auto entries = uninitialized<Ordinal>(space, "terrace::lines::entries", total);
  auto source = uninitialized<Offset>(space, "terrace::lines::source", total);
  Kokkos::parallel_for("terrace::analysis::fill_entries", each_line,
                       FillEntries<Ordinal, Offset, Space>{from, line_map.data(), next.data(), entries.data(),
                                                           source.data(), transpose, behind, diagonal == 1});
  sort_lines(space, SortLines<Ordinal, Offset, Space>{line_map, entries, source, diagonal, 0}, n, longest);

  Lines<Ordinal, Offset, Space> lines;
  lines.count = n;
  lines.line_map = line_map;
  lines.entries = entries;
  lines.source = source;
  lines.is_copy = true;
  lines.gathers = lines_gather(options.format, options.op) != transpose;
  lines.skip_back = diagonal;
  return lines;
}

}  // namespace terrace::analysis
