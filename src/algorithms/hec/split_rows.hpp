// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits rows into the two parts of HEC. The entries of a row keep their order: the first `width` go to the ELL part,
// the others to the compressed rows, and one that shall come last, the diagonal of a triangle, behind them.
//
// What is split says for each row where its entries begin and end, which position comes last (it may lie among them, or
// elsewhere), and for each position its column and which of the caller's values it takes.
#pragma once

#include <limits>

#include "algorithms/hec/choose_width.hpp"
#include "algorithms/hec/hec_rows.hpp"
#include "sparse/build_rows.hpp"
#include "sparse/for_each_row.hpp"
#include "sparse/triangle.hpp"

namespace terrace::hec {

/// A matrix as it is.
template <class Ordinal, class Offset>
struct RowsOfMatrix {
  sparse::GraphView<Ordinal, Offset> from;
  const Offset* diagonal = nullptr;  // of each row, where that comes last

  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return from.begin(row); }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return from.end(row); }
  KOKKOS_FUNCTION bool has_last() const { return diagonal != nullptr; }
  KOKKOS_FUNCTION Offset last(Ordinal row) const { return diagonal[row]; }
  KOKKOS_FUNCTION Offset length(Ordinal row) const { return end(row) - begin(row) - (has_last() ? 1 : 0); }
  KOKKOS_FUNCTION Ordinal column(Offset k) const { return from.entries[k]; }
  KOKKOS_FUNCTION Offset source(Offset k) const { return k; }
};

/// A triangle in level order, its unknowns numbered by their places there (equation 11): P L P^T.
template <class Ordinal, class Offset>
struct RowsOfTriangle {
  sparse::TriangleView<Ordinal, Offset> from;
  const Ordinal* order;
  const Ordinal* place;       // of each row in the order
  const Offset* from_source;  // null when the rows are the caller's
  bool diagonal;

  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return from.begin(order[row]); }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return from.end(order[row]); }
  KOKKOS_FUNCTION bool has_last() const { return diagonal; }
  KOKKOS_FUNCTION Offset last(Ordinal row) const { return from.diagonal_position(order[row]); }
  KOKKOS_FUNCTION Offset length(Ordinal row) const { return end(row) - begin(row); }
  KOKKOS_FUNCTION Ordinal column(Offset k) const { return place[from.entries[k]]; }
  KOKKOS_FUNCTION Offset source(Offset k) const { return from_source ? from_source[k] : k; }
};

template <class Rows, class Ordinal, class Offset>
struct CountRemainders {
  Rows rows;
  Ordinal width;
  Offset* lengths;  // of the compressed rows

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Offset length = rows.length(row), taken = static_cast<Offset>(width);
    lengths[row] = (length > taken ? length - taken : 0) + (rows.has_last() ? 1 : 0);
  }
};

template <class Rows, class Ordinal>
struct CountAll {
  Rows rows;
  KOKKOS_FUNCTION void operator()(Ordinal row, std::int64_t& sum) const {
    sum += static_cast<std::int64_t>(rows.length(row)) + (rows.has_last() ? 1 : 0);
  }
};

/// Walks whole rows, or entries in any order (sparse/for_each_row.hpp).
template <class Rows, class Ordinal, class Offset>
struct SplitRows {
  Rows rows;
  Ordinal width;
  std::size_t leading;
  Ordinal* ell_columns;
  Offset* ell_source;
  const Offset* row_map;
  Ordinal* entries;
  Offset* source;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset k = begin(row); k < end(row); ++k) entry(row, k);
    finish(row);
  }
  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return rows.begin(row); }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return rows.end(row); }

  KOKKOS_FUNCTION void finish(Ordinal row) const {
    if (rows.has_last()) write_crs(row_map[row + 1] - 1, rows.last(row));
  }

  KOKKOS_FUNCTION void entry(Ordinal row, Offset k) const {
    Offset rank = k - begin(row);
    if (rows.has_last()) {
      const Offset last = rows.last(row);
      if (k == last) return;
      if (begin(row) <= last && last < k) --rank;
    }
    const auto taken = static_cast<Offset>(width);
    if (rank < taken) write_ell(static_cast<std::size_t>(rank) * leading + static_cast<std::size_t>(row), k);
    else write_crs(row_map[row] + (rank - taken), k);
  }

 private:
  KOKKOS_FUNCTION void write_ell(std::size_t place, Offset k) const {
    ell_columns[place] = rows.column(k);
    ell_source[place] = rows.source(k);
  }
  KOKKOS_FUNCTION void write_crs(Offset place, Offset k) const {
    entries[place] = rows.column(k);
    source[place] = rows.source(k);
  }
};

/// Places of the ELL part. \throws Error OutOfMemory where nothing could hold them.
template <class Scalar, class Ordinal, class Space>
std::size_t places_of_ell(const Space& space, Ordinal width, std::size_t leading) {
  const auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) /
                    std::max(sizeof(Scalar), sizeof(Ordinal) * 2);
  if (leading > 0 && static_cast<std::size_t>(width) > most / leading)
    parallel::throw_out_of_memory("terrace::hec::ell_values", std::numeric_limits<std::ptrdiff_t>::max(),
                                  parallel::Runtime<Space>::free_memory(space));
  return static_cast<std::size_t>(width) * leading;
}

/// Of `count` rows, with values of type Scalar later. `entries`: about how many there are, which decides how they are
/// walked. Waits for the space before it fills.
template <class Scalar, class Ordinal, class Offset, class Space, class Rows>
HecPattern<Ordinal, Offset, Space> split_rows(const Space& space, const Rows& rows, Ordinal count, std::size_t entries,
                                              const WidthRule& rule) {
  HecPattern<Ordinal, Offset, Space> parts;
  const auto chosen = choose_width(space, rows, count, rule);
  const auto size = static_cast<std::size_t>(count);
  parts.rows = count;
  parts.width = chosen.width;
  parts.longest = chosen.longest;
  parts.leading = parallel::divide_up(size, row_alignment) * row_alignment;
  const std::size_t places = places_of_ell<Scalar>(space, parts.width, parts.leading);
  parts.ell_columns = parallel::uninitialized<Ordinal>(space, "terrace::hec::ell_columns", places);
  parts.ell_source = parallel::uninitialized<Offset>(space, "terrace::hec::ell_source", places);
  Kokkos::deep_copy(space, parts.ell_columns, no_column<Ordinal>);
  Kokkos::deep_copy(space, parts.ell_source, sparse::no_source<Offset>);

  const Kokkos::RangePolicy<Space> each_row(space, 0, count);
  const parallel::Scratch<Offset, Space> lengths(space, "terrace::hec::lengths", size);
  Kokkos::parallel_for("terrace::hec::count_remainders", each_row,
                       CountRemainders<Rows, Ordinal, Offset>{rows, parts.width, lengths.data()});
  parts.crs.row_map = parallel::uninitialized<Offset>(space, "terrace::hec::row_map", size + 1);
  const Offset total = sparse::scan_lengths<Ordinal, Offset, Space>(space, lengths, parts.crs.row_map);
  parts.crs.entries = parallel::uninitialized<Ordinal>(space, "terrace::hec::entries", total);
  parts.crs.source = parallel::uninitialized<Offset>(space, "terrace::hec::source", total);
  std::int64_t all = 0;
  Kokkos::parallel_reduce("terrace::hec::count_all", each_row, CountAll<Rows, Ordinal>{rows}, all);
  parts.crs_entries = static_cast<std::int64_t>(total);
  parts.ell_entries = all - parts.crs_entries;

  const auto scratch = parallel::scratch_of_zeros<int>(space, "terrace::hec::long_rows", 1);
  sparse::for_each_row(space, "terrace::hec::split_rows", count, entries, scratch.data(),
                       SplitRows<Rows, Ordinal, Offset>{rows, parts.width, parts.leading, parts.ell_columns.data(),
                                                        parts.ell_source.data(), parts.crs.row_map.data(),
                                                        parts.crs.entries.data(), parts.crs.source.data()});
  return parts;
}

}  // namespace terrace::hec
