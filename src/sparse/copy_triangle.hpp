// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies a triangle into rows of its own: transposed when the rows shall be the other way round, ascending, and without
// what lies on the wrong side of the diagonal.
//
// A missing diagonal of a non-unit triangle gets a place whose source is no_source, so that kernels never look for it;
// its value is zero. Ascending rows have the diagonal last in a lower triangle and first in an upper one.
#pragma once

#include "parallel/loops.hpp"
#include "sparse/build_rows.hpp"
#include "sparse/check_structure.hpp"
#include "sparse/sort_rows.hpp"

namespace terrace::sparse {

template <class Ordinal, class Offset, bool Transpose>
struct VisitTriangle {
  static constexpr bool own_row = !Transpose;

  GraphView<Ordinal, Offset> from;
  bool behind_diagonal;  // the triangle's strict part, in `from`
  bool diagonal;

  template <class Emit>
  KOKKOS_FUNCTION void operator()(Ordinal row, const Emit& emit) const {
    Offset at_diagonal = no_source<Offset>;
    for (Offset k = from.begin(row); k < from.end(row); ++k) {
      const Ordinal column = from.entries[k];
      if (column == row) at_diagonal = k;
      if (column == row || (column > row) != behind_diagonal) continue;
      if constexpr (Transpose) emit(column, row, k);
      else emit(row, column, k);
    }
    if (diagonal) emit(row, row, at_diagonal);
  }
};

/// As VisitTriangle, of a triangle that is usable in place.
template <class Ordinal, class Offset>
struct VisitTransposedTriangle {
  TriangleView<Ordinal, Offset> from;
  bool diagonal;

  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return from.begin(row); }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return from.end(row); }
  template <class Emit>
  KOKKOS_FUNCTION void entry(Ordinal row, Offset k, const Emit& emit) const {
    emit(from.entries[k], row, k);
  }
  template <class Emit>
  KOKKOS_FUNCTION void finish(Ordinal row, const Emit& emit) const {
    if (diagonal) entry(row, from.diagonal_position(row), emit);
  }
};

template <class Ordinal, class Offset, class Space>
struct FindDuplicates {
  TriangleView<Ordinal, Offset> triangle;
  Ordinal* cell;  // as in CheckStructure
  bool transposed;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset k = triangle.begin(row) + 1; k < triangle.end(row); ++k)
      if (triangle.entries[k] == triangle.entries[k - 1])
        parallel::atomic_lower(*cell, static_cast<Ordinal>((transposed ? triangle.entries[k] : row) - triangle.rows));
  }
};

/// Duplicates of unsorted rows show once the rows are sorted. After a transposition the row that named
/// the entry twice is the entry's index.
template <class Ordinal, class Offset, class Space>
void throw_on_duplicates(const Space& space, const Triangle<Ordinal, Offset, Space>& triangle,
                         const TriangularOptions& options, bool transposed) {
  const auto cells =
      parallel::scratch_of_zeros<Ordinal>(space, "terrace::sparse::diagnostics", StructureDiagnostics::Cells);
  parallel::for_range("terrace::sparse::find_duplicates", Kokkos::RangePolicy<Space>(space, 0, triangle.count),
                      FindDuplicates<Ordinal, Offset, Space>{
                          triangle.view(), cells.data() + StructureDiagnostics::Duplicate, transposed});
  throw_on_bad_entry(read_diagnostics<Ordinal, Space>(space, cells.view(), triangle.count), options);
}

/// The result of copy_triangle, of rows that are not sorted yet. `transpose` says which way they run now.
template <class Ordinal, class Offset, class Space>
Triangle<Ordinal, Offset, Space> sorted_copy(const Space& space, const CrsGraph<Ordinal, Offset, Space>& copy,
                                             const TriangularOptions& options, bool transpose) {
  sort_rows(space, copy);
  Triangle<Ordinal, Offset, Space> triangle;
  triangle.count = copy.rows();
  triangle.row_map = copy.row_map;
  triangle.entries = copy.entries;
  triangle.source = copy.source;
  triangle.is_copy = true;
  triangle.gathers = rows_gather(options.format, options.op) != transpose;
  triangle.behind_diagonal = lies_behind_diagonal(options) != transpose;
  triangle.place_diagonal(options.diag == Diag::NonUnit);
  return triangle;
}

inline constexpr auto copy_triangle_label = "terrace::sparse::copy_triangle";

/// `from` holds the caller's whole rows, checked.
template <class Ordinal, class Offset, class Space>
Triangle<Ordinal, Offset, Space> copy_triangle(const Space& space, const GraphView<Ordinal, Offset>& from,
                                               const TriangularOptions& options, bool transpose) {
  const bool behind = lies_behind_diagonal(options), diagonal = options.diag == Diag::NonUnit;
  const auto build = [&](const auto& visit) {
    return build_rows<Ordinal, Offset>(space, copy_triangle_label, from.rows, from.rows, visit);
  };
  return sorted_copy(space,
                     transpose ? build(VisitTriangle<Ordinal, Offset, true>{from, behind, diagonal})
                               : build(VisitTriangle<Ordinal, Offset, false>{from, behind, diagonal}),
                     options, transpose);
}

/// The same, transposed, of a triangle that is usable in place: no row is searched.
template <class Ordinal, class Offset, class Space>
Triangle<Ordinal, Offset, Space> transpose_triangle(const Space& space, const TriangleView<Ordinal, Offset>& from,
                                                    const TriangularOptions& options) {
  return sorted_copy(
      space,
      build_rows<Ordinal, Offset>(space, copy_triangle_label, from.rows, from.rows,
                                  VisitTransposedTriangle<Ordinal, Offset>{from, options.diag == Diag::NonUnit}),
      options, true);
}

}  // namespace terrace::sparse
