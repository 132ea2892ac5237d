// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pattern that L and U share before fill: the rows of A, sorted, each with its diagonal.
//
// For A ~ L U the caller's rows are used where they are when they are in order. For A ~ L L^T one triangle is read and
// mirrored, so that the pattern is symmetric whatever the other triangle holds; where that one has the same entries,
// the caller's rows serve again. `source` says which of the caller's values an entry takes; no source at all means each
// its own, or that one thread finds mirror images on its way (Elimination::next_mirror).
#pragma once

#include <cstdint>
#include <optional>
#include <terrace/ilu_options.hpp>
#include <utility>

#include "parallel/copy_to_host.hpp"
#include "parallel/loops.hpp"
#include "parallel/run_alone.hpp"
#include "sparse/assign_levels.hpp"
#include "sparse/build_rows.hpp"
#include "sparse/find_column.hpp"
#include "sparse/make_triangle.hpp"
#include "sparse/sort_rows.hpp"

namespace terrace::incomplete {

/// As a triangle of the full matrix L + U, whose strict part is that of L: what a row waits for.
template <class Ordinal, class Offset, class Space>
using MergedPattern = sparse::Triangle<Ordinal, Offset, Space>;

inline bool is_symmetric(Factorization factorization) { return factorization != Factorization::Lu; }

/// The entries that each row of A gives to the merged pattern: its own, or those of the triangle that is read and their
/// mirror images. A diagonal that is not stored gets a place.
template <class Ordinal, class Offset, bool Mirror>
struct VisitMerged {
  static constexpr bool own_row = !Mirror;

  sparse::GraphView<Ordinal, Offset> from;
  bool upper;  // the triangle that is read when mirroring

  template <class Emit>
  KOKKOS_FUNCTION void operator()(Ordinal row, const Emit& emit) const {
    Offset diagonal = sparse::no_source<Offset>;
    for (Offset k = from.begin(row); k < from.end(row); ++k) {
      const Ordinal column = from.entries[k];
      if (column == row) diagonal = k;
      if (column == row || (Mirror && (column > row) != upper)) continue;
      emit(row, column, k);
      if constexpr (Mirror) emit(column, row, k);
    }
    emit(row, row, diagonal);
  }
};

/// Lowers `first` to the row of A that names an entry twice.
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
      parallel::atomic_lower(*first, mirrored ? entries[k] : row);
    }
  }
};

template <class Ordinal, class Offset>
struct FindDiagonals {
  const Offset* row_map;
  const Ordinal* entries;
  Offset* diagonal;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    diagonal[row] = sparse::place_of_column(entries, row_map[row], row_map[row + 1], row);
  }
};

/// Where the diagonals of sorted rows stand. Enqueued.
template <class Ordinal, class Offset, class Space>
Kokkos::View<const Offset*, parallel::Device<Space>> find_diagonals(const Space& space, Ordinal rows,
                                                                    const Offset* row_map, const Ordinal* entries) {
  const auto diagonal =
      parallel::uninitialized<Offset>(space, "terrace::incomplete::diagonal", static_cast<std::size_t>(rows));
  parallel::for_range("terrace::incomplete::find_diagonals", Kokkos::RangePolicy<Space>(space, 0, rows),
                      FindDiagonals<Ordinal, Offset>{row_map, entries, diagonal.data()});
  return diagonal;
}

/// Takes over sorted rows that hold their diagonals.
template <class Ordinal, class Offset, class Space>
MergedPattern<Ordinal, Offset, Space> merged_rows(const Space& space,
                                                  const sparse::CrsGraph<Ordinal, Offset, Space>& rows) {
  MergedPattern<Ordinal, Offset, Space> merged;
  merged.count = rows.rows();
  merged.row_map = rows.row_map;
  merged.entries = rows.entries;
  merged.diagonal = find_diagonals(space, merged.count, rows.row_map.data(), rows.entries.data());
  merged.source = rows.source;
  merged.is_copy = true;
  return merged;
}

/// \throws Error DuplicateEntry.
template <class Ordinal, class Offset, class Space>
MergedPattern<Ordinal, Offset, Space> copy_merged(const Space& space, const sparse::GraphView<Ordinal, Offset>& from,
                                                  bool mirror, Uplo uplo) {
  const bool upper = uplo == Uplo::Upper;
  const auto build = [&](const auto& visit) {
    return sparse::build_rows<Ordinal, Offset>(space, "terrace::incomplete::merge_pattern", from.rows, from.rows,
                                               visit);
  };
  const auto rows = mirror ? build(VisitMerged<Ordinal, Offset, true>{from, upper})
                           : build(VisitMerged<Ordinal, Offset, false>{from, upper});
  sparse::sort_rows(space, rows);

  const parallel::Scratch<Ordinal, Space> first(space, "terrace::incomplete::first", 1);
  first.fill(from.rows);
  parallel::for_range(
      "terrace::incomplete::find_repeated", Kokkos::RangePolicy<Space>(space, 0, from.rows),
      FindRepeated<Ordinal, Offset>{rows.row_map.data(), rows.entries.data(), first.data(), mirror, upper});
  if (const Ordinal row = parallel::read_on_host<Ordinal>(space, first.data()); row < from.rows)
    throw Error(ErrorCode::DuplicateEntry, "row " + std::to_string(row) + " stores an entry twice", row);
  return merged_rows(space, rows);
}

/// Where the entries of a symmetric matrix find their values in sorted rows: those of the triangle that is read where
/// they stand, the others at their mirror images. A walk of for_each_row.
template <class Ordinal, class Offset>
struct FindMirrors {
  sparse::TriangleView<Ordinal, Offset> pattern;  // whole, with diagonals
  bool upper;                                     // the triangle that is read
  Offset* source;                                 // or null
  std::int64_t* unmatched;                        // becomes 1 where there is no mirror image

  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return pattern.row_map[row]; }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return pattern.row_map[row + 1]; }
  KOKKOS_FUNCTION void finish(Ordinal) const {}
  KOKKOS_FUNCTION void entry(Ordinal row, Offset k) const {
    const Ordinal column = pattern.entries[k];
    const bool is_read = column == row || (column > row) == upper;
    const Offset from = is_read ? k : mirror(row, column);
    if (source) source[k] = from;
  }
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset k = begin(row); k < end(row); ++k) entry(row, k);
  }

  KOKKOS_FUNCTION Offset mirror(Ordinal row, Ordinal column) const {
    const Offset diagonal = pattern.diagonal[column];
    const Offset first = upper ? diagonal + 1 : pattern.row_map[column];
    const Offset last = upper ? pattern.row_map[column + 1] : diagonal;
    const Offset found = sparse::find_column(pattern.entries, first, last, row);
    if (found == last) Kokkos::atomic_store(unmatched, std::int64_t(1));
    return found;
  }
};

/// How many more entries stand before the diagonal than behind it.
template <class Ordinal, class Offset>
struct WeighTriangles {
  sparse::TriangleView<Ordinal, Offset> pattern;
  KOKKOS_FUNCTION void operator()(Ordinal row, std::int64_t& excess) const {
    const Offset diagonal = pattern.diagonal[row];
    excess += static_cast<std::int64_t>(diagonal - pattern.row_map[row]) -
              static_cast<std::int64_t>(pattern.row_map[row + 1] - diagonal - 1);
  }
};

/// The same by one thread, which need not search: the rows that name column k come in ascending order, as the entries
/// behind the diagonal of row k stand.
template <class Ordinal, class Offset>
struct FindMirrorsInOrder {
  sparse::TriangleView<Ordinal, Offset> pattern;
  bool upper;
  Offset* source;  // or null
  Offset* next;    // by row: scratch
  std::int64_t* unmatched;

  KOKKOS_FUNCTION void operator()(int) const {
    bool is_symmetric = true;
    for (Ordinal row = 0; row < pattern.rows && is_symmetric; ++row) is_symmetric = match_row(row);
    for (Ordinal row = 0; row < pattern.rows && is_symmetric; ++row)
      is_symmetric = next[row] == pattern.row_map[row + 1];
    *unmatched = is_symmetric ? 0 : 1;
  }

  KOKKOS_FUNCTION bool match_row(Ordinal row) const {
    const Ordinal* const columns = pattern.entries;
    const Offset diagonal = pattern.diagonal[row];
    for (Offset p = pattern.row_map[row]; p < diagonal; ++p) {
      const Ordinal k = columns[p];
      const Offset mirror = next[k]++;
      if (mirror >= pattern.row_map[k + 1] || columns[mirror] != row) return false;
      if (source) source[p] = source[mirror] = upper ? mirror : p;
    }
    if (source) source[diagonal] = diagonal;
    next[row] = diagonal + 1;
    return true;
  }
};

/// Scratch of find_mirrors: each entry has its mirror image, there are no others; and a cell of for_each_row.
enum MirrorCell { Unmatched, Excess, MirrorCounts, MirrorLongRows = MirrorCounts, MirrorCells };

/// Whether sorted rows with diagonals have a symmetric pattern; `source`, if it is not null, is as in FindMirrors.
/// Waits for the space.
template <class Ordinal, class Offset, class Space>
bool find_mirrors(const Space& space, const MergedPattern<Ordinal, Offset, Space>& merged, bool upper, Offset* source,
                  const Kokkos::View<std::int64_t*, parallel::Device<Space>>& cells) {
  if constexpr (parallel::is_host_space<Space>) {
    constexpr int threads_that_pay_for_searching = 4;
    if (space.concurrency() < threads_that_pay_for_searching) {
      const parallel::Scratch<Offset, Space> next(space, "terrace::incomplete::next", std::size_t(merged.count));
      std::int64_t unmatched = 0;
      parallel::run_alone(space, "terrace::incomplete::find_mirrors",
                          FindMirrorsInOrder<Ordinal, Offset>{merged.view(), upper, source, next.data(), &unmatched});
      return unmatched == 0;
    }
  }
  parallel::fill(space, cells, 0);
  const auto pattern = merged.view();
  sparse::for_each_row_from_zero(space, "terrace::incomplete::find_mirrors", merged.count, merged.entries.extent(0),
                                 reinterpret_cast<int*>(cells.data() + MirrorLongRows),
                                 FindMirrors<Ordinal, Offset>{pattern, upper, source, cells.data() + Unmatched},
                                 merged.may_have_long_rows);
  parallel::reduce_range("terrace::incomplete::weigh_triangles", Kokkos::RangePolicy<Space>(space, 0, merged.count),
                         WeighTriangles<Ordinal, Offset>{pattern}, Kokkos::subview(cells, int(Excess)));
  const auto found = parallel::read_cells<MirrorCounts>(space, cells.data(), "terrace::incomplete::find_mirrors");
  return found[Unmatched] == 0 && found[Excess] == 0;
}

/// Waits for the space.
template <class Ordinal, class Offset, class Space>
bool is_symmetric(const Space& space, const MergedPattern<Ordinal, Offset, Space>& merged) {
  const parallel::Scratch<std::int64_t, Space> cells(space, "terrace::incomplete::asymmetry", MirrorCells);
  return find_mirrors(space, merged, false, static_cast<Offset*>(nullptr), cells.view());
}

/// The caller's rows, in order as they are, if their pattern is symmetric. Waits for the space.
template <class Ordinal, class Offset, class Space>
std::optional<MergedPattern<Ordinal, Offset, Space>> mirrored_in_place(
    const Space& space, const sparse::CheckedInput<Ordinal, Offset, Space>& input, const IluSymbolicOptions& options,
    sparse::Sources sources) {
  auto merged = sparse::triangle_in_place(input);
  if (sources == sparse::Sources::Forget) {
    if (is_symmetric(space, merged)) return merged;
    return std::nullopt;
  }
  using Arrays = parallel::JoinedScratch<Space>;
  const std::size_t entries = merged.entries.extent(0);
  Arrays arrays(space, "terrace::incomplete::source",
                Arrays::template bytes<Offset>(entries) + Arrays::template bytes<std::int64_t>(MirrorCells));
  const auto source = arrays.template take_view<Offset>(entries);
  const auto cells = arrays.template take_view<std::int64_t>(MirrorCells);
  if (!find_mirrors(space, merged, options.uplo == Uplo::Upper, source.data(), cells)) return std::nullopt;
  merged.source = source;
  merged.source_memory = arrays.share();
  return merged;
}

/// The pattern before fill, in place where it can be. Sources that are forgotten are those of entries that stand where
/// the caller put them.
template <class Ordinal, class Offset, class Space>
MergedPattern<Ordinal, Offset, Space> merge_pattern(const Space& space,
                                                    const sparse::CheckedInput<Ordinal, Offset, Space>& input,
                                                    const IluSymbolicOptions& options,
                                                    sparse::Sources sources = sparse::Sources::Keep) {
  if (sparse::usable_in_place(input.facts, input.options)) {
    if (!is_symmetric(options.factorization)) return sparse::triangle_in_place(input);
    if (auto merged = mirrored_in_place(space, input, options, sources)) return *std::move(merged);
  }
  return copy_merged<Ordinal, Offset>(space, input.whole(), is_symmetric(options.factorization), options.uplo);
}

}  // namespace terrace::incomplete
