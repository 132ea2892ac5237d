// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at every row of the caller's arrays once: does it lie in the arrays, is it sorted, where is its diagonal?
//
// Each kind of problem has one cell, zero before, that ends up holding the first row where it happens, less the number
// of rows. A row that is in order touches no cell, so the check costs one read of the pattern. A backend that knows a
// shorter way to look and to read the cells overloads look_at_structure (backends/structure_checks.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <terrace/error.hpp>

#include "parallel/copy_to_host.hpp"
#include "parallel/loops.hpp"
#include "sparse/find_column.hpp"
#include "sparse/find_disorder.hpp"
#include "sparse/for_each_row.hpp"
#include "sparse/triangle.hpp"

namespace terrace::sparse {

/// The first row of each kind; -1 when there is none.
struct StructureDiagnostics {
  enum Kind {
    MapStart,
    MapEnd,
    Decreasing,
    OutOfRange,
    WrongSide,
    Duplicate,
    Unsorted,
    MissingDiagonal,
    StoredDiagonal,
    Kinds,
    LongRows = Kinds,  // scratch
    Cells,
    Arrived = Cells,  // likewise, which nobody reads
    Scratch
  };
  std::int64_t first[Kinds];
  bool may_have_long_rows = true;  // in the sense of for_each_row
  bool has(Kind kind) const { return first[kind] >= 0; }

  StructureFacts facts() const {
    StructureFacts facts{!has(Unsorted), has(StoredDiagonal), {}, may_have_long_rows};
    if (has(MissingDiagonal)) facts.first_missing_diagonal = first[MissingDiagonal];
    return facts;
  }
};

template <class Ordinal, class Offset, class Space>
struct CheckStructure {
  Kokkos::View<const Offset*, parallel::Device<Space>> row_map;
  Kokkos::View<const Ordinal*, parallel::Device<Space>> entries;
  Kokkos::View<Ordinal*, parallel::Device<Space>> cells;
  Kokkos::View<Offset*, parallel::Device<Space>> diagonal;  // written for full matrices only
  Ordinal count;
  bool stored_triangle;
  bool behind_diagonal;
  bool every_entry;

  KOKKOS_FUNCTION void report(StructureDiagnostics::Kind kind, Ordinal row) const {
    parallel::atomic_lower(cells(kind), static_cast<Ordinal>(row - count));
  }

  /// A whole row, in whatever order its entries are.
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    if (!check_map(row)) return;
    const Offset begin = row_map(row), end = row_map(row + 1);
    const Offset position = every_entry ? walk(row, begin, end) : look_up(row, begin, end);
    report_diagonal(row, position, end);
    if (position != end) report(StructureDiagnostics::StoredDiagonal, row);
  }

  // A row entry by entry, but for StoredDiagonal, which nearly every row would report. Where its diagonal is, or would
  // be, shows between two entries when they ascend; when they do not, Unsorted is found, and what was found of
  // diagonals means nothing.
  KOKKOS_FUNCTION Offset begin(Ordinal row) const {
    return every_entry && lies_in_arrays(row) ? row_map(row) : Offset(0);
  }
  KOKKOS_FUNCTION Offset end(Ordinal row) const {
    return every_entry && lies_in_arrays(row) ? row_map(row + 1) : Offset(0);
  }
  KOKKOS_FUNCTION void finish(Ordinal row) const {
    if (!check_map(row)) return;
    const Offset begin = row_map(row), end = row_map(row + 1);
    if (!every_entry) report_diagonal(row, look_up(row, begin, end), end);
    else if (begin == end) report_diagonal(row, end, end);
  }
  KOKKOS_FUNCTION void entry(Ordinal row, Offset k) const {
    const Offset first_of_row = row_map(row), end = row_map(row + 1);
    const Ordinal index = entries(k);
    const bool passes = index > row && (k == first_of_row || entries(k - 1) < row);
    const bool ends_before = index < row && k + 1 == end;
    if (check_entry(row, first_of_row, k)) report_diagonal(row, k, end);
    else if (passes || ends_before) report_diagonal(row, end, end);
  }

  KOKKOS_FUNCTION bool lies_in_arrays(Ordinal row) const {
    return Offset(0) <= row_map(row) && row_map(row) <= row_map(row + 1) &&
           static_cast<std::size_t>(row_map(row + 1)) <= entries.extent(0);
  }

  /// True when the entries of the row may be read.
  KOKKOS_FUNCTION bool check_map(Ordinal row) const {
    if (row == 0 && row_map(0) != 0) report(StructureDiagnostics::MapStart, row);
    if (row == count - 1 && static_cast<std::size_t>(row_map(count)) != entries.extent(0))
      report(StructureDiagnostics::MapEnd, row);
    if (row_map(row + 1) < row_map(row)) report(StructureDiagnostics::Decreasing, row);
    return lies_in_arrays(row);
  }

  KOKKOS_FUNCTION void report_diagonal(Ordinal row, Offset position, Offset end) const {
    if (position == end) report(StructureDiagnostics::MissingDiagonal, row);
    if (!stored_triangle) diagonal(row) = position;
  }

  /// Checks the row; returns where its diagonal is, or `end`.
  KOKKOS_FUNCTION Offset walk(Ordinal row, Offset begin, Offset end) const {
    Offset position = end;
    for (Offset k = begin; k < end; ++k) {
      if (!check_entry(row, begin, k)) continue;
      if (position != end) report(StructureDiagnostics::Duplicate, row);
      position = k;
    }
    return position;
  }

  /// True for the diagonal.
  KOKKOS_FUNCTION bool check_entry(Ordinal row, Offset begin, Offset k) const {
    const Ordinal index = entries(k);
    if (index < 0 || index >= count) report(StructureDiagnostics::OutOfRange, row);
    if (k > begin && index == entries(k - 1)) report(StructureDiagnostics::Duplicate, row);
    if (k > begin && index < entries(k - 1)) report(StructureDiagnostics::Unsorted, row);
    if (stored_triangle && index != row && (index > row) != behind_diagonal)
      report(StructureDiagnostics::WrongSide, row);
    return index == row;
  }

  /// Trusts the row to be sorted; returns where its diagonal is, or `end`.
  KOKKOS_FUNCTION Offset look_up(Ordinal row, Offset begin, Offset end) const {
    if (begin == end) return end;
    if (stored_triangle) {
      const Offset position = behind_diagonal ? begin : end - 1;
      return entries(position) == row ? position : end;
    }
    return find_column(entries.data(), begin, end, row);
  }
};

/// Which sorted rows store their diagonals, where others do not.
template <class Ordinal, class Offset, class Space>
struct FindStoredDiagonal {
  CheckStructure<Ordinal, Offset, Space> check;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    if (!check.lies_in_arrays(row)) return;
    const Offset end = check.row_map(row + 1);
    if (check.look_up(row, check.row_map(row), end) != end) check.report(StructureDiagnostics::StoredDiagonal, row);
  }
};

/// What cells say.
template <class Space, class Ordinal>
StructureDiagnostics diagnostics_of(const std::array<Ordinal, StructureDiagnostics::Cells>& cells, Ordinal count) {
  StructureDiagnostics diagnostics;
  for (int kind = 0; kind < StructureDiagnostics::Kinds; ++kind)
    diagnostics.first[kind] = cells[kind] == 0 ? -1 : static_cast<std::int64_t>(cells[kind]) + count;
  diagnostics.may_have_long_rows = parallel::is_host_space<Space> || cells[StructureDiagnostics::LongRows] != 0;
  return diagnostics;
}

/// Of StructureDiagnostics::Cells cells. Waits for `space`.
template <class Ordinal, class Space>
StructureDiagnostics read_diagnostics(const Space& space, const Kokkos::View<Ordinal*, parallel::Device<Space>>& cells,
                                      Ordinal count) {
  return diagnostics_of<Space>(
      parallel::read_cells<StructureDiagnostics::Cells>(space, cells.data(), "terrace::sparse::read_diagnostics"),
      count);
}

/// Walks the rows, on a device all but the long ones, of which `walked` entries are looked at one by one. The cells of
/// `check` become what it finds. Waits for `space`. Where that is worth while, meanwhile() is called before, for what
/// may be enqueued when the cells are known to be zero to the device alone.
template <class Ordinal, class Offset, class Space, class Meanwhile>
StructureDiagnostics look_at_structure(const Space& space, const CheckStructure<Ordinal, Offset, Space>& check,
                                       std::size_t walked, const Meanwhile&) {
  parallel::fill(space, check.cells, 0);
  for_each_row_from_zero(space, "terrace::sparse::check_structure", check.count, walked,
                         check.cells.data() + StructureDiagnostics::LongRows, check, false);
  return read_diagnostics<Ordinal, Space>(space, check.cells, check.count);
}

/// Throws unless the row map starts at 0, never decreases and ends at `entries`.
template <class Space, class Map>
void throw_on_bad_row_map(const Space& space, const StructureDiagnostics& diagnostics, const Map& row_map,
                          std::size_t entries) {
  using F = StructureDiagnostics;
  const auto read = [&](std::size_t at) {
    return std::to_string(parallel::read_on_host<typename Map::non_const_value_type>(space, row_map.data() + at));
  };
  if (diagnostics.has(F::MapStart))
    throw Error(ErrorCode::InvalidRowMap, "row_map starts at " + read(0) + "; it must start at 0", 0);
  if (diagnostics.has(F::Decreasing)) {
    const auto row = diagnostics.first[F::Decreasing];
    throw Error(ErrorCode::InvalidRowMap, "row_map decreases after row " + std::to_string(row), row);
  }
  if (diagnostics.has(F::MapEnd))
    throw Error(ErrorCode::InvalidRowMap, "row_map ends at " + read(row_map.extent(0) - 1) + ", but there are " +
                                              std::to_string(entries) + " entries");
}

/// Throws for the first row, or column of compressed columns, with an entry that may not be there.
inline void throw_on_bad_entry(const StructureDiagnostics& diagnostics, const TriangularOptions& options) {
  const std::string row_or_column = options.format == Format::Csr ? "row " : "column ";
  const auto fail = [&](ErrorCode code, StructureDiagnostics::Kind kind, const std::string& what) {
    if (diagnostics.has(kind))
      throw Error(code, row_or_column + std::to_string(diagnostics.first[kind]) + what, diagnostics.first[kind]);
  };
  fail(ErrorCode::ColumnOutOfRange, StructureDiagnostics::OutOfRange, " has an entry outside the matrix");
  fail(ErrorCode::WrongTriangle, StructureDiagnostics::WrongSide,
       options.uplo == Uplo::Lower
           ? " has an entry above the diagonal of a lower triangle (Stored::Full takes full matrices)"
           : " has an entry below the diagonal of an upper triangle (Stored::Full takes full matrices)");
  fail(ErrorCode::DuplicateEntry, StructureDiagnostics::Duplicate, " stores an entry twice");
}

/// Checks the rows as `options` asks and finds their diagonals; `diagonal` is filled for full matrices. `cells` are
/// scratch of StructureDiagnostics::Scratch cells; meanwhile() as in look_at_structure.
template <class Ordinal, class Offset, class Space, class Meanwhile>
StructureFacts check_structure(const Space& space, const Kokkos::View<const Offset*, parallel::Device<Space>>& row_map,
                               const Kokkos::View<const Ordinal*, parallel::Device<Space>>& entries, Ordinal count,
                               const TriangularOptions& options,
                               const Kokkos::View<Offset*, parallel::Device<Space>>& diagonal,
                               const Kokkos::View<Ordinal*, parallel::Device<Space>>& cells,
                               const Meanwhile& meanwhile) {
  const bool is_triangle = options.stored == Stored::Triangle, is_behind = lies_behind_diagonal(options);
  if constexpr (parallel::is_host_space<Space>)
    if (options.check_structure && count > 0 &&
        are_in_order<Ordinal, Offset>(space, row_map.data(), entries.data(), entries.extent(0), count,
                                      is_triangle ? nullptr : diagonal.data(), is_behind))
      return {};
  const CheckStructure<Ordinal, Offset, Space> check{row_map, entries,     cells,     diagonal,
                                                     count,   is_triangle, is_behind, options.check_structure};
  const char* label = "terrace::sparse::check_structure";
  const std::size_t walked = options.check_structure ? entries.extent(0) : 0;
  int* const has_long_rows = cells.data() + StructureDiagnostics::LongRows;
  auto diagnostics = look_at_structure(space, check, walked, meanwhile);
  if constexpr (!parallel::is_host_space<Space>) {
    // What few matrices need: a kernel that finds nothing to do takes as long as to ask whether there is something.
    const auto each_row = Kokkos::RangePolicy<Space>(space, 0, count);
    const auto look_again = [&] { diagnostics = read_diagnostics<Ordinal, Space>(space, cells, count); };
    if (diagnostics.may_have_long_rows) {
      for_each_long_row(space, label, count, walked, has_long_rows, check);
      look_again();
    }
    if (diagnostics.has(StructureDiagnostics::Unsorted)) {  // entry by entry does not do, then
      parallel::fill(space, cells, 0);
      Kokkos::parallel_for(label, each_row, check);
      look_again();
      diagnostics.may_have_long_rows = true;  // which nobody has looked for
    } else if (is_triangle && diagnostics.has(StructureDiagnostics::MissingDiagonal)) {
      Kokkos::parallel_for("terrace::sparse::find_stored_diagonal", each_row,
                           FindStoredDiagonal<Ordinal, Offset, Space>{check});
      look_again();
    } else {
      diagnostics.first[StructureDiagnostics::StoredDiagonal] = 0;
    }
  }
  if (!options.check_structure) diagnostics.may_have_long_rows = true;  // for_each_row has not seen the entries
  throw_on_bad_row_map(space, diagnostics, row_map, entries.extent(0));
  throw_on_bad_entry(diagnostics, options);
  return diagnostics.facts();
}

}  // namespace terrace::sparse
