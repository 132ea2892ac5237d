// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at every line of the caller's arrays once: is it valid, sorted, and where is its diagonal?
//
// Each kind of problem has one cell that ends up holding the first line where it happens. A line that is in order
// touches no cell, so the check costs one read of the pattern.
#pragma once

#include <cstdint>
#include <string>
#include <terrace/error.hpp>

#include "algorithms/analysis/for_each_line.hpp"
#include "algorithms/analysis/pattern.hpp"

namespace terrace::analysis {

/// The first line of each kind; -1 when there is none.
struct StructureFindings {
  enum Kind { Decreasing, OutOfRange, WrongSide, Duplicate, Unsorted, MissingDiagonal, StoredDiagonal, Kinds };
  std::int64_t first[Kinds];
  bool has(Kind kind) const { return first[kind] >= 0; }
};

template <class Ordinal, class Offset, class Space>
struct CheckStructure {
  Kokkos::View<const Offset*, Device<Space>> line_map;
  Kokkos::View<const Ordinal*, Device<Space>> entries;
  Kokkos::View<Ordinal*, Device<Space>> first;
  Kokkos::View<Offset*, Device<Space>> diagonal;  // written for full matrices only
  Ordinal count;
  bool stored_triangle;
  bool behind_diagonal;
  bool every_entry;

  KOKKOS_FUNCTION void report(StructureFindings::Kind kind, Ordinal line) const { atomic_lower(first(kind), line); }

  KOKKOS_FUNCTION void operator()(Ordinal line) const {
    const Offset begin = line_map(line), end = line_map(line + 1);
    const Offset position = every_entry ? walk(line, begin, end) : look_up(line, begin, end);
    report_diagonal(line, position, end);
  }

  KOKKOS_FUNCTION Offset length(Ordinal line) const { return every_entry ? line_map(line + 1) - line_map(line) : 0; }

  /// The line by a team; the last of several diagonals counts, as when it is walked alone.
  template <class Team>
  KOKKOS_FUNCTION void share(const Team& team, Ordinal line) const {
    const Offset begin = line_map(line), end = line_map(line + 1);
    Offset behind_last = 0;
    int diagonals = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, begin, end),
        [&](Offset k, Offset& last, int& found) {
          if (!check_entry(line, begin, k)) return;
          if (k + 1 > last) last = k + 1;
          ++found;
        },
        Kokkos::Max<Offset>(behind_last), Kokkos::Sum<int>(diagonals));
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      if (diagonals > 1) report(StructureFindings::Duplicate, line);
      report_diagonal(line, diagonals > 0 ? behind_last - 1 : end, end);
    });
  }

  KOKKOS_FUNCTION void report_diagonal(Ordinal line, Offset position, Offset end) const {
    const bool stored = position != end;
    report(stored ? StructureFindings::StoredDiagonal : StructureFindings::MissingDiagonal, line);
    if (!stored_triangle) diagonal(line) = position;
  }

  /// Checks the line entry by entry; returns where its diagonal is, or `end`.
  KOKKOS_FUNCTION Offset walk(Ordinal line, Offset begin, Offset end) const {
    Offset position = end;
    for (Offset k = begin; k < end; ++k) {
      if (!check_entry(line, begin, k)) continue;
      if (position != end) report(StructureFindings::Duplicate, line);
      position = k;
    }
    return position;
  }

  /// True for the diagonal.
  KOKKOS_FUNCTION bool check_entry(Ordinal line, Offset begin, Offset k) const {
    const Ordinal index = entries(k);
    if (index < 0 || index >= count) report(StructureFindings::OutOfRange, line);
    if (k > begin && index == entries(k - 1)) report(StructureFindings::Duplicate, line);
    if (k > begin && index < entries(k - 1)) report(StructureFindings::Unsorted, line);
    if (stored_triangle && index != line && (index > line) != behind_diagonal)
      report(StructureFindings::WrongSide, line);
    return index == line;
  }

  /// Trusts the line to be sorted; returns where its diagonal is, or `end`.
  KOKKOS_FUNCTION Offset look_up(Ordinal line, Offset begin, Offset end) const {
    if (begin == end) return end;
    if (stored_triangle) {
      const Offset position = behind_diagonal ? begin : end - 1;
      return entries(position) == line ? position : end;
    }
    Offset low = begin, high = end;
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (entries(middle) < line) low = middle + 1;
      else high = middle;
    }
    return low < end && entries(low) == line ? low : end;
  }
};

template <class Ordinal, class Offset, class Space>
struct CheckLineMap {
  Kokkos::View<const Offset*, Device<Space>> line_map;
  Kokkos::View<Ordinal*, Device<Space>> first;

  KOKKOS_FUNCTION void operator()(Ordinal line) const {
    if (line_map(line + 1) < line_map(line)) atomic_lower(first(StructureFindings::Decreasing), line);
  }
};

template <class Ordinal, class Space>
StructureFindings read_findings(const Space& space, const Kokkos::View<Ordinal*, Device<Space>>& first, Ordinal count) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), first);
  space.fence("terrace::analysis::read_findings");
  StructureFindings findings;
  for (int kind = 0; kind < StructureFindings::Kinds; ++kind)
    findings.first[kind] = host(kind) == count ? -1 : static_cast<std::int64_t>(host(kind));
  return findings;
}

/// Throws unless line_map starts at 0, never decreases and ends at `entries`. O(n).
template <class Ordinal, class Offset, class Space>
void check_line_map(const Space& space, const Kokkos::View<const Offset*, Device<Space>>& line_map, Ordinal count,
                    std::size_t entries, std::size_t values) {
  Offset ends[2];
  Kokkos::View<Offset, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> first_end(&ends[0]), last_end(&ends[1]);
  Kokkos::deep_copy(space, first_end, Kokkos::subview(line_map, 0));
  Kokkos::deep_copy(space, last_end, Kokkos::subview(line_map, count));
  auto first = uninitialized<Ordinal>(space, "terrace::analysis::first", StructureFindings::Kinds);
  Kokkos::deep_copy(space, first, count);
  Kokkos::parallel_for("terrace::analysis::check_line_map", Kokkos::RangePolicy<Space>(space, 0, count),
                       CheckLineMap<Ordinal, Offset, Space>{line_map, first});
  const auto findings = read_findings<Ordinal, Space>(space, first, count);
  if (ends[0] != 0)
    throw Error(ErrorCode::InvalidRowMap, "row_map starts at " + std::to_string(ends[0]) + "; it must start at 0", 0);
  if (findings.has(StructureFindings::Decreasing)) {
    const auto row = findings.first[StructureFindings::Decreasing];
    throw Error(ErrorCode::InvalidRowMap, "row_map decreases after row " + std::to_string(row), row);
  }
  if (static_cast<std::size_t>(ends[1]) != entries)
    throw Error(ErrorCode::InvalidRowMap, "row_map ends at " + std::to_string(ends[1]) + ", but there are " +
                                              std::to_string(entries) + " entries");
  if (values != entries)
    throw Error(ErrorCode::SizeMismatch,
                "there are " + std::to_string(values) + " values for " + std::to_string(entries) + " entries");
}

/// Throws for the first line with an entry that may not be there. `line` is the format's word for a line.
inline void throw_on_bad_entry(const StructureFindings& findings, const TriangularOptions& options) {
  const std::string line = options.format == Format::Csr ? "row " : "column ";
  const auto fail = [&](ErrorCode code, StructureFindings::Kind kind, const std::string& what) {
    if (findings.has(kind)) throw Error(code, line + std::to_string(findings.first[kind]) + what, findings.first[kind]);
  };
  fail(ErrorCode::ColumnOutOfRange, StructureFindings::OutOfRange, " has an entry outside the matrix");
  fail(ErrorCode::WrongTriangle, StructureFindings::WrongSide,
       options.uplo == Uplo::Lower
           ? " has an entry above the diagonal of a lower triangle (Stored::Full takes full matrices)"
           : " has an entry below the diagonal of an upper triangle (Stored::Full takes full matrices)");
  fail(ErrorCode::DuplicateEntry, StructureFindings::Duplicate, " stores an entry twice");
}

/// Checks the lines as `options` asks and finds their diagonals; `diagonal` is filled for full matrices.
template <class Ordinal, class Offset, class Space>
StructureFindings check_structure(const Space& space, const Kokkos::View<const Offset*, Device<Space>>& line_map,
                                  const Kokkos::View<const Ordinal*, Device<Space>>& entries, Ordinal count,
                                  const TriangularOptions& options,
                                  const Kokkos::View<Offset*, Device<Space>>& diagonal) {
  auto first = uninitialized<Ordinal>(space, "terrace::analysis::first", StructureFindings::Kinds);
  Kokkos::deep_copy(space, first, count);
  for_each_line(space, "terrace::analysis::check_structure", count,
                CheckStructure<Ordinal, Offset, Space>{line_map, entries, first, diagonal, count,
                                                       options.stored == Stored::Triangle,
                                                       lies_behind_diagonal(options), options.check_structure});
  const auto findings = read_findings<Ordinal, Space>(space, first, count);
  throw_on_bad_entry(findings, options);
  return findings;
}

}  // namespace terrace::analysis
