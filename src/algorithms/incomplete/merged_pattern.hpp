// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pattern that L and U share before fill: the rows of A, sorted, each with its diagonal.
//
// For A ~ L U the caller's rows are used where they are when they are in order. For A ~ L L^T one triangle is read and
// mirrored, so that the pattern is symmetric whatever the other triangle holds. `source` says which of the caller's
// values an entry takes; no source at all means each its own.
#pragma once

#include <terrace/ilu_options.hpp>

#include "algorithms/analysis/assign_levels.hpp"
#include "algorithms/analysis/make_lines.hpp"

namespace terrace::incomplete {

/// The lines' strict part is that of L: what a row waits for.
template <class Ordinal, class Offset, class Space>
using MergedPattern = analysis::Lines<Ordinal, Offset, Space>;

inline bool is_symmetric(Factorization factorization) { return factorization != Factorization::Lu; }

/// Visits the entries that each line of A gives to the merged pattern: its own, and their mirror images.
template <class Ordinal, class Offset>
struct VisitEntries {
  analysis::Pattern<Ordinal, Offset> from;  // whole lines
  bool mirror;
  bool upper;  // the triangle that is read when mirroring

  /// Calls `visit(row, column, k)` for entries off the diagonal; returns where the diagonal is, or no_source.
  template <class Visit>
  KOKKOS_FUNCTION Offset operator()(Ordinal row, const Visit& visit) const {
    Offset diagonal = static_cast<Offset>(-1);
    for (Offset k = from.line_map[row]; k < from.line_map[row + 1]; ++k) {
      const Ordinal column = from.entries[k];
      if (column == row) diagonal = k;
      if (column == row || (mirror && (column > row) != upper)) continue;
      visit(row, column, k);
      if (mirror) visit(column, row, k);
    }
    return diagonal;
  }
};

template <class Ordinal, class Offset>
struct CountMerged {
  VisitEntries<Ordinal, Offset> entries_of;
  Offset* lengths;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    entries_of(row, [&](Ordinal to, Ordinal, Offset) { analysis::fetch_increment(lengths[to]); });
    analysis::fetch_increment(lengths[row]);
  }
};

template <class Ordinal, class Offset>
struct FillMerged {
  VisitEntries<Ordinal, Offset> entries_of;
  Offset* next;
  Ordinal* entries;
  Offset* source;

  KOKKOS_FUNCTION void place(Ordinal row, Ordinal column, Offset from) const {
    const Offset position = analysis::fetch_increment(next[row]);
    entries[position] = column;
    source[position] = from;
  }
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Offset diagonal = entries_of(row, [&](Ordinal to, Ordinal column, Offset from) { place(to, column, from); });
    place(row, row, diagonal);
  }
};

/// Lowers `first` to the line of A that names an entry twice.
template <class Ordinal, class Offset>
struct FindRepeated {
  const Offset* row_map;
  const Ordinal* entries;
  Ordinal* first;
  bool mirror;
  bool upper;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset k = row_map[row] + 1; k < row_map[row + 1]; ++k) {
      if (entries[k] != entries[k - 1]) continue;
      const bool mirrored = mirror && (entries[k] > row) != upper;
      analysis::atomic_lower(*first, mirrored ? entries[k] : row);
    }
  }
};

template <class Ordinal, class Offset>
struct FindDiagonals {
  const Offset* row_map;
  const Ordinal* entries;
  Offset* diagonal;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset low = row_map[row], high = row_map[row + 1];
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (entries[middle] < row) low = middle + 1;
      else high = middle;
    }
    diagonal[row] = low;
  }
};

/// Wraps sorted rows that hold their diagonals.
template <class Ordinal, class Offset, class Space>
MergedPattern<Ordinal, Offset, Space> merged_rows(const Space& space, Ordinal rows,
                                                  const Kokkos::View<Offset*, analysis::Device<Space>>& row_map,
                                                  const Kokkos::View<Ordinal*, analysis::Device<Space>>& entries,
                                                  const Kokkos::View<Offset*, analysis::Device<Space>>& source) {
  auto diagonal = analysis::uninitialized<Offset>(space, "terrace::incomplete::diagonal", rows);
  Kokkos::parallel_for("terrace::incomplete::find_diagonals", Kokkos::RangePolicy<Space>(space, 0, rows),
                       FindDiagonals<Ordinal, Offset>{row_map.data(), entries.data(), diagonal.data()});
  MergedPattern<Ordinal, Offset, Space> merged;
  merged.count = rows;
  merged.line_map = row_map;
  merged.entries = entries;
  merged.diagonal = diagonal;
  merged.source = source;
  merged.is_copy = true;
  return merged;
}

/// Count, scan, fill, sort.
template <class Ordinal, class Offset, class Space>
MergedPattern<Ordinal, Offset, Space> copy_merged(const Space& space,
                                                  const analysis::CheckedInput<Ordinal, Offset, Space>& input,
                                                  const IluSymbolicOptions& options) {
  const Ordinal n = input.count;
  const Kokkos::RangePolicy<Space> each_row(space, 0, n);
  const bool mirror = is_symmetric(options.factorization), upper = options.uplo == Uplo::Upper;
  const VisitEntries<Ordinal, Offset> entries_of{input.whole_lines(), mirror, upper};

  auto lengths = analysis::zeros<Offset>(space, "terrace::analysis::lengths", n);
  Kokkos::parallel_for("terrace::incomplete::count_entries", each_row,
                       CountMerged<Ordinal, Offset>{entries_of, lengths.data()});
  auto row_map =
      analysis::uninitialized<Offset>(space, "terrace::incomplete::row_map", static_cast<std::size_t>(n) + 1);
  const Offset total = analysis::start_lines<Ordinal, Offset, Space>(space, lengths, row_map);
  const auto next = analysis::next_places<Offset, Space>(space, row_map);
  Offset longest = 0;
  Kokkos::parallel_reduce("terrace::analysis::longest_line", each_row, analysis::LongestLine<Offset>{lengths.data()},
                          Kokkos::Max<Offset>(longest));

  auto entries = analysis::uninitialized<Ordinal>(space, "terrace::incomplete::entries", total);
  auto source = analysis::uninitialized<Offset>(space, "terrace::incomplete::source", total);
  Kokkos::parallel_for("terrace::incomplete::fill_entries", each_row,
                       FillMerged<Ordinal, Offset>{entries_of, next.data(), entries.data(), source.data()});
  analysis::sort_lines(space, analysis::SortLines<Ordinal, Offset, Space>{row_map, entries, source, 0, 0}, n, longest);

  auto first = analysis::uninitialized<Ordinal>(space, "terrace::analysis::first", 1);
  Kokkos::deep_copy(space, first, n);
  Kokkos::parallel_for("terrace::incomplete::find_repeated", each_row,
                       FindRepeated<Ordinal, Offset>{row_map.data(), entries.data(), first.data(), mirror, upper});
  if (const Ordinal row = analysis::read_on_host<Ordinal>(space, first.data()); row < n)
    throw Error(ErrorCode::DuplicateEntry, "row " + std::to_string(row) + " stores an entry twice", row);
  return merged_rows<Ordinal, Offset, Space>(space, n, row_map, entries, source);
}

/// The pattern before fill, in place where it can be.
template <class Ordinal, class Offset, class Space>
MergedPattern<Ordinal, Offset, Space> merge_pattern(const Space& space,
                                                    const analysis::CheckedInput<Ordinal, Offset, Space>& input,
                                                    const IluSymbolicOptions& options) {
  if (!is_symmetric(options.factorization) && analysis::usable_in_place(input.findings, input.options))
    return analysis::lines_in_place(input);
  return copy_merged(space, input, options);
}

}  // namespace terrace::incomplete
