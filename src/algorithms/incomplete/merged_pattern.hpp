// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pattern that L and U share before fill: the rows of A, sorted, each with its diagonal.
//
// For A ~ L U the caller's rows are used where they are when they are in order. For A ~ L L^T one triangle is read and
// mirrored, so that the pattern is symmetric whatever the other triangle holds; where that one has the same entries,
// the caller's rows serve again. `source` says which of the caller's values an entry takes; no source at all means each
// its own.
#pragma once

#include <cstdint>
#include <optional>
#include <terrace/ilu_options.hpp>
#include <utility>

#include "algorithms/analysis/assign_levels.hpp"
#include "algorithms/analysis/find_column.hpp"
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
    diagonal[row] = analysis::place_of_column(entries, row_map[row], row_map[row + 1], row);
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

/// Where the entries of a symmetric matrix find their values in sorted rows: those of the triangle that is read where
/// they stand, the others at their mirror images. A walk of for_each_line.
template <class Ordinal, class Offset>
struct FindMirrors {
  analysis::Pattern<Ordinal, Offset> lines;  // whole, with diagonals
  bool upper;                                // the triangle that is read
  Offset* source;                            // or null
  std::int64_t* unmatched;                   // becomes 1 where there is no mirror image

  KOKKOS_FUNCTION Offset begin(Ordinal line) const { return lines.line_map[line]; }
  KOKKOS_FUNCTION Offset end(Ordinal line) const { return lines.line_map[line + 1]; }
  KOKKOS_FUNCTION void finish(Ordinal) const {}
  KOKKOS_FUNCTION void entry(Ordinal line, Offset k) const {
    const Ordinal column = lines.entries[k];
    const bool is_read = column == line || (column > line) == upper;
    const Offset from = is_read ? k : mirror(line, column);
    if (source) source[k] = from;
  }
  KOKKOS_FUNCTION void operator()(Ordinal line) const {
    for (Offset k = begin(line); k < end(line); ++k) entry(line, k);
  }

  KOKKOS_FUNCTION Offset mirror(Ordinal line, Ordinal column) const {
    const Offset diagonal = lines.diagonal[column];
    const Offset first = upper ? diagonal + 1 : lines.line_map[column];
    const Offset last = upper ? lines.line_map[column + 1] : diagonal;
    const Offset found = analysis::find_column(lines.entries, first, last, line);
    if (found == last) Kokkos::atomic_store(unmatched, std::int64_t(1));
    return found;
  }
};

/// How many more entries stand before the diagonal than behind it.
template <class Ordinal, class Offset>
struct WeighTriangles {
  analysis::Pattern<Ordinal, Offset> lines;
  KOKKOS_FUNCTION void operator()(Ordinal line, std::int64_t& excess) const {
    const Offset diagonal = lines.diagonal[line];
    excess += static_cast<std::int64_t>(diagonal - lines.line_map[line]) -
              static_cast<std::int64_t>(lines.line_map[line + 1] - diagonal - 1);
  }
};

/// Whether sorted rows with diagonals have a symmetric pattern; `source`, if it is not null, is as in FindMirrors.
/// Waits for the space.
template <class Ordinal, class Offset, class Space>
bool find_mirrors(const Space& space, const MergedPattern<Ordinal, Offset, Space>& merged, bool upper, Offset* source) {
  enum Cell { Unmatched, Excess, Counts, LongLines = Counts, Cells };  // each has its mirror image, there are no others
  const auto cells = analysis::zeros<std::int64_t>(space, "terrace::incomplete::asymmetry", Cells);
  const auto lines = merged.pattern();
  analysis::for_each_line_from_zero(space, "terrace::incomplete::find_mirrors", merged.count, merged.entries.extent(0),
                                    reinterpret_cast<int*>(cells.data() + LongLines),
                                    FindMirrors<Ordinal, Offset>{lines, upper, source, cells.data() + Unmatched},
                                    merged.may_have_long_lines);
  Kokkos::parallel_reduce("terrace::incomplete::weigh_triangles", Kokkos::RangePolicy<Space>(space, 0, merged.count),
                          WeighTriangles<Ordinal, Offset>{lines}, Kokkos::subview(cells, int(Excess)));
  const auto found = analysis::read_cells<Counts>(space, cells, "terrace::incomplete::find_mirrors");
  return found[Unmatched] == 0 && found[Excess] == 0;
}

/// Waits for the space.
template <class Ordinal, class Offset, class Space>
bool is_symmetric(const Space& space, const MergedPattern<Ordinal, Offset, Space>& merged) {
  return find_mirrors(space, merged, false, static_cast<Offset*>(nullptr));
}

/// The caller's rows, in order as they are, if their pattern is symmetric. Waits for the space.
template <class Ordinal, class Offset, class Space>
std::optional<MergedPattern<Ordinal, Offset, Space>> mirrored_in_place(
    const Space& space, const analysis::CheckedInput<Ordinal, Offset, Space>& input,
    const IluSymbolicOptions& options) {
  auto merged = analysis::lines_in_place(input);
  const auto source = analysis::uninitialized<Offset>(space, "terrace::incomplete::source", merged.entries.extent(0));
  if (!find_mirrors(space, merged, options.uplo == Uplo::Upper, source.data())) return std::nullopt;
  merged.source = source;
  return merged;
}

/// The pattern before fill, in place where it can be.
template <class Ordinal, class Offset, class Space>
MergedPattern<Ordinal, Offset, Space> merge_pattern(const Space& space,
                                                    const analysis::CheckedInput<Ordinal, Offset, Space>& input,
                                                    const IluSymbolicOptions& options) {
  if (analysis::usable_in_place(input.findings, input.options)) {
    if (!is_symmetric(options.factorization)) return analysis::lines_in_place(input);
    if (auto merged = mirrored_in_place(space, input, options)) return *std::move(merged);
  }
  return copy_merged(space, input, options);
}

}  // namespace terrace::incomplete
