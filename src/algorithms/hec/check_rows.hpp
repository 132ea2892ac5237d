// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at the rows of a matrix once, which need be neither square nor sorted: do they lie in the arrays, and their
// entries in the matrix; and where are the diagonals, where somebody asks for them?
#pragma once

#include "sparse/check_structure.hpp"

namespace terrace::hec {

template <class Ordinal, class Offset, class Space>
struct CheckRows {
  using Diagnostics = sparse::StructureDiagnostics;

  sparse::CheckStructure<Ordinal, Offset, Space> map;  // checks the row map
  Ordinal columns;
  Offset* diagonal;  // or null; sparse::no_source on entry

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset k = begin(row); k < end(row); ++k) entry(row, k);
    finish(row);
  }
  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return map.lies_in_arrays(row) ? map.row_map(row) : Offset(0); }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return map.lies_in_arrays(row) ? map.row_map(row + 1) : Offset(0); }
  KOKKOS_FUNCTION void finish(Ordinal row) const { map.check_map(row); }
  KOKKOS_FUNCTION void entry(Ordinal row, Offset k) const {
    const Ordinal column = map.entries(k);
    if (column < 0 || column >= columns) map.report(Diagnostics::OutOfRange, row);
    if (diagonal && column == row) diagonal[row] = k;
  }
};

template <class Ordinal, class Offset>
struct FindMissing {
  const Offset* diagonal;
  Ordinal* cell;  // as in sparse::CheckStructure
  Ordinal rows;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    if (diagonal[row] == sparse::no_source<Offset>) parallel::atomic_lower(*cell, static_cast<Ordinal>(row - rows));
  }
};

/// Fills `diagonal` unless it is empty. Waits for the space. \throws Error
template <class Ordinal, class Offset, class Space>
void check_rows(const Space& space, const Kokkos::View<const Offset*, parallel::Device<Space>>& row_map,
                const Kokkos::View<const Ordinal*, parallel::Device<Space>>& entries, Ordinal rows, Ordinal columns,
                const Kokkos::View<Offset*, parallel::Device<Space>>& diagonal) {
  using Diagnostics = sparse::StructureDiagnostics;
  const bool wants_diagonals = diagonal.extent(0) > 0;
  const auto cells = parallel::zeros<Ordinal>(space, "terrace::hec::diagnostics", Diagnostics::Cells);
  if (wants_diagonals) Kokkos::deep_copy(space, diagonal, sparse::no_source<Offset>);
  sparse::for_each_row_from_zero(space, "terrace::hec::check_rows", rows, entries.extent(0),
                                 cells.data() + Diagnostics::LongRows,
                                 CheckRows<Ordinal, Offset, Space>{
                                     {row_map, entries, cells, {}, rows, true, false, true}, columns, diagonal.data()});
  if (wants_diagonals)
    Kokkos::parallel_for(
        "terrace::hec::find_missing", Kokkos::RangePolicy<Space>(space, 0, rows),
        FindMissing<Ordinal, Offset>{diagonal.data(), cells.data() + Diagnostics::MissingDiagonal, rows});
  const auto found = sparse::read_diagnostics<Ordinal, Space>(space, cells, rows);
  sparse::throw_on_bad_row_map(space, found, row_map, entries.extent(0));
  sparse::throw_on_bad_entry(found, {});
  if (const auto row = found.first[Diagnostics::MissingDiagonal]; row >= 0)
    throw Error(ErrorCode::MissingDiagonal,
                "row " + std::to_string(row) + " stores no diagonal entry for its compressed part to end with", row);
}

}  // namespace terrace::hec
