// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the store of finished rows to the merged pattern of L and U: rows in their order, and for L L^T the mirror image
// of the upper triangle.
#pragma once

#include "algorithms/incomplete/check_matrix.hpp"
#include "algorithms/incomplete/matrix_entries.hpp"
#include "algorithms/incomplete/threshold/finished_rows.hpp"
#include "parallel/loops.hpp"
#include "sparse/for_each_row.hpp"

namespace terrace::incomplete {

/// L and U in one array.
template <class Scalar, class Ordinal, class Offset, class Space>
struct MergedFactor {
  Kokkos::View<const Offset*, parallel::Device<Space>> row_map;
  Kokkos::View<const Ordinal*, parallel::Device<Space>> entries;
  Kokkos::View<Scalar*, parallel::Device<Space>> values;

  std::size_t bytes_held() const {
    return row_map.span() * sizeof(Offset) + entries.span() * sizeof(Ordinal) + values.span() * sizeof(Scalar);
  }
};

template <class Offset>
struct MeasureRows {
  const Offset* begin;
  const Offset* end;
  Offset* lengths;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index row) const {
    lengths[row] = end[row] - begin[row];
  }
};

template <class Scalar, class Ordinal, class Offset>
struct CopyEntryOfRow {
  FinishedRows<Scalar, Ordinal, Offset> from;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset q) const {
    const Offset p = from.begin[row] + (q - row_map[row]);
    entries[q] = from.entries[p];
    values[q] = from.values[p];
  }
};

template <class Scalar, class Ordinal, class Offset>
struct CopyEntry {
  MatrixEntries<Scalar, Ordinal, Offset> from;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset p) const { values[p] = from(row, p); }
};

/// As sparse::for_each_row walks.
template <class Ordinal, class Offset, class Copy>
struct CopyByRow {
  const Offset* row_map;
  Copy copy;

  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return row_map[row]; }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return row_map[row + 1]; }
  KOKKOS_FUNCTION void entry(Ordinal row, Offset p) const { copy(row, p); }
  KOKKOS_FUNCTION void finish(Ordinal) const {}
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset p = begin(row); p < end(row); ++p) copy(row, p);
  }
};

/// copy(row, p) for all entries. Enqueued.
template <class Space, class Ordinal, class Offset, class Copy>
void copy_by_row(const Space& space, const char* label, Ordinal rows, std::size_t entries, const Offset* row_map,
                 const Copy& copy) {
  const parallel::Scratch<int, Space> has_long_rows(space, "terrace::incomplete::has_long_rows", 1);
  sparse::for_each_row(space, label, rows, entries, has_long_rows.data(),
                       CopyByRow<Ordinal, Offset, Copy>{row_map, copy});
}

/// The rows as they are. Waits for the space.
template <class Scalar, class Ordinal, class Offset, class Space>
MergedFactor<Scalar, Ordinal, Offset, Space> collect_rows(const Space& space, Ordinal rows,
                                                          const FinishedRows<Scalar, Ordinal, Offset>& from) {
  const Kokkos::RangePolicy<Space> each_row(space, 0, rows);
  const parallel::Scratch<Offset, Space> lengths(space, "terrace::incomplete::lengths", std::size_t(rows));
  parallel::for_range("terrace::incomplete::measure_rows", each_row,
                      MeasureRows<Offset>{from.begin, from.end, lengths.data()});
  const auto row_map =
      parallel::uninitialized<Offset>(space, "terrace::incomplete::row_map", static_cast<std::size_t>(rows) + 1);
  const Offset total = sparse::scan_lengths<Ordinal, Offset, Space>(space, lengths, row_map);
  const auto entries = parallel::uninitialized<Ordinal>(space, "terrace::incomplete::entries", total);
  const auto values = parallel::uninitialized<Scalar>(space, "terrace::incomplete::values", total);
  copy_by_row(space, "terrace::incomplete::copy_rows", rows, total, row_map.data(),
              CopyEntryOfRow<Scalar, Ordinal, Offset>{from, row_map.data(), entries.data(), values.data()});
  space.fence("terrace::incomplete::collect_rows");
  return {row_map, entries, values};
}

/// L^T or L^H, and L beside it. Waits for the space. \throws Error OutOfMemory when Offset cannot count both.
template <class Scalar, class Ordinal, class Offset, class Space>
MergedFactor<Scalar, Ordinal, Offset, Space> mirror_rows(const Space& space,
                                                         const MergedFactor<Scalar, Ordinal, Offset, Space>& upper,
                                                         Factorization factorization) {
  const auto rows = static_cast<Ordinal>(upper.row_map.extent(0)) - 1;
  check_countable<Offset>(upper.entries.extent(0), static_cast<std::size_t>(rows));
  const sparse::GraphView<Ordinal, Offset> stored_rows{rows, upper.row_map.data(), upper.entries.data()};
  const auto merged = copy_merged(space, stored_rows, true, Uplo::Upper);
  const auto values = parallel::uninitialized<Scalar>(space, "terrace::incomplete::values", merged.entries.extent(0));
  const bool hermitian = factorization == Factorization::HermitianCholesky;
  const Scalar* const stored = upper.values.data();
  const auto from = plain_entries(merged, stored, static_cast<const Ordinal*>(nullptr), hermitian, true);
  copy_by_row(space, "terrace::incomplete::copy_entries", rows, merged.entries.extent(0), merged.row_map.data(),
              CopyEntry<Scalar, Ordinal, Offset>{from, values.data()});
  space.fence("terrace::incomplete::mirror_rows");
  return {merged.row_map, merged.entries, values};
}

}  // namespace terrace::incomplete
