// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All filled rows, on a host: each thread takes handfuls of rows and keeps what it finds until all lengths are known.
// When there is no memory for it, all threads stop, and the host throws.
//
// Memory: the filled pattern twice for a while, and for each thread a table that grows with the most vertices that a
// row reaches.
#pragma once

#include <algorithm>
#include <string>
#include <terrace/error.hpp>
#include <vector>

#include "algorithms/incomplete/fill_search.hpp"
#include "parallel/first_failure.hpp"
#include "parallel/index_arithmetic.hpp"
#include "parallel/loops.hpp"
#include "sparse/build_rows.hpp"
#include "sparse/copy_triangle.hpp"

namespace terrace::incomplete {

/// The number of entries, and how many the longest row has.
struct FilledEntries {
  std::size_t all = 0, most = 0;
};

template <class Offset>
struct CountFilled {
  const Offset* lengths;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index row, std::size_t& all, std::size_t& most) const {
    const auto length = static_cast<std::size_t>(lengths[row]);
    all += length;
    if (length > most) most = length;
  }
};

/// The most entries of a row, and behind them the first row that has so many.
template <class Offset>
struct FindLongest {
  static constexpr std::int64_t rows = std::int64_t(1) << 31;  // no matrix has more
  const Offset* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& longest) const {
    const std::int64_t found = static_cast<std::int64_t>(lengths[row]) * rows + (rows - 1 - row);
    if (found > longest) longest = found;
  }
};

template <class Offset, class Space>
[[noreturn]] void throw_too_much_fill(const Space& space, const parallel::Scratch<Offset, Space>& lengths) {
  constexpr std::int64_t rows = FindLongest<Offset>::rows;
  std::int64_t longest = 0;
  parallel::reduce_range("terrace::incomplete::find_longest", Kokkos::RangePolicy<Space>(space, 0, lengths.size()),
                         FindLongest<Offset>{lengths.data()}, Kokkos::Max<std::int64_t>(longest));
  throw TooMuchFill{rows - 1 - longest % rows, longest / rows};
}

/// The arrays for rows of these lengths, the row map filled in. Waits for the space.
/// \throws TooMuchFill; Error OutOfMemory when Offset cannot count the entries.
template <class Ordinal, class Offset, class Space>
FilledEntries allocate_rows(const Space& space, const parallel::Scratch<Offset, Space>& lengths,
                            const FillSearch<Ordinal, Offset>& search, sparse::CrsGraph<Ordinal, Offset, Space>& rows) {
  FilledEntries found;
  parallel::reduce_range("terrace::incomplete::count_filled", Kokkos::RangePolicy<Space>(space, 0, lengths.size()),
                         CountFilled<Offset>{lengths.data()}, found.all, Kokkos::Max<std::size_t>(found.most));
  if (found.all > static_cast<std::size_t>(search.max_entries)) throw_too_much_fill(space, lengths);
  if (found.all > static_cast<std::size_t>(std::numeric_limits<Offset>::max()))
    throw Error(ErrorCode::OutOfMemory, "the factors of fill level " + std::to_string(search.fill_level) + " have " +
                                            std::to_string(found.all) +
                                            " entries, more than the row map's type can count");
  rows.row_map = parallel::uninitialized<Offset>(space, "terrace::incomplete::row_map", lengths.size() + 1);
  rows.entries = parallel::uninitialized<Ordinal>(space, "terrace::incomplete::entries", found.all);
  sparse::scan_lengths<Ordinal, Offset, Space>(space, lengths, rows.row_map);
  return found;
}

/// The rows as threads find them, handful by handful.
template <class Ordinal, class Offset>
struct FindRows {
  static constexpr Ordinal handful = 256;
  static constexpr std::size_t vertices_at_first = 256;

  FillSearch<Ordinal, Offset> search;
  Ordinal* next;  // the first handful that nobody has taken
  Offset* lengths;
  std::vector<Ordinal>* kept;  // of each handful
  FillSum sum;
  parallel::FirstFailure* failure;

  void operator()(int) const {
    failure->guard([this] { find_handfuls(); });
  }

 private:
  void find_handfuls() const {
    std::vector<Ordinal> fill;
    unsigned slots = SearchTable<Ordinal>::slots_for(vertices_at_first);
    for (Ordinal number = take(); number < handfuls();) {
      std::vector<char> memory(SearchTable<Ordinal>::bytes(slots, rows()));
      const SearchTable<Ordinal> table(OneLane(), memory.data(), slots, rows());
      while (number < handfuls() && find(number, table, fill)) number = take();
      slots *= 4;
    }
  }

  Ordinal rows() const { return search.graph.rows; }
  Ordinal handfuls() const { return parallel::divide_up(rows(), handful); }

  /// Nothing is left after a failure.
  Ordinal take() const {
    if (failure->happened() || sum.is_over_limit()) return handfuls();
    return std::atomic_ref<Ordinal>(*next).fetch_add(1);
  }

  /// False when a row needs a larger table.
  bool find(Ordinal number, const SearchTable<Ordinal>& table, std::vector<Ordinal>& fill) const {
    auto& columns = kept[number];
    columns.clear();
    const Ordinal first = number * handful, count = std::min(handful, rows() - first);
    for (Ordinal row = first; row - first < count; ++row) {
      const std::int64_t found = search.list_columns(OneLane(), row, table);
      if (found < 0) return false;
      lengths[row] = static_cast<Offset>(found);
      append(row, static_cast<unsigned>(found), table, fill, columns);
      table.forget(OneLane());
    }
    sum.add(static_cast<std::int64_t>(columns.size()));
    return true;
  }

  /// One lane lists in the order of arrival: first the row itself, which is sorted.
  void append(Ordinal row, unsigned found, const SearchTable<Ordinal>& table, std::vector<Ordinal>& fill,
              std::vector<Ordinal>& columns) const {
    const Ordinal *begin = search.graph.entries + search.graph.row_map[row],
                  *end = search.graph.entries + search.graph.row_map[row + 1];
    fill.clear();
    for (auto k = static_cast<unsigned>(end - begin); k < found; ++k) fill.push_back(table.listed(k).vertex);
    std::sort(fill.begin(), fill.end());
    const std::size_t before = columns.size();
    columns.resize(before + found);
    std::merge(begin, end, fill.begin(), fill.end(), columns.begin() + static_cast<std::ptrdiff_t>(before));
  }
};

/// Copies each handful to where it belongs.
template <class Ordinal, class Offset>
struct PlaceHandfuls {
  const std::vector<Ordinal>* kept;
  const Offset* row_map;
  Ordinal* entries;
  void operator()(Ordinal number) const {
    std::copy(kept[number].begin(), kept[number].end(), entries + row_map[number * FindRows<Ordinal, Offset>::handful]);
  }
};

/// \throws TooMuchFill; Error OutOfMemory.
template <class Ordinal, class Offset, class Space>
sparse::CrsGraph<Ordinal, Offset, Space> fill_rows_by_threads(const Space& space,
                                                              const FillSearch<Ordinal, Offset>& search) {
  using Find = FindRows<Ordinal, Offset>;
  const Ordinal handfuls = parallel::divide_up(search.graph.rows, Find::handful);
  const auto lengths = parallel::scratch_of_zeros<Offset>(space, "terrace::incomplete::lengths",
                                                          static_cast<std::size_t>(search.graph.rows));
  std::vector<std::vector<Ordinal>> kept;
  parallel::FirstFailure failure;
  failure.guard([&] { kept.resize(static_cast<std::size_t>(handfuls)); });
  Ordinal next = 0;
  std::int64_t entries = 0;
  if (!failure.happened())
    Kokkos::parallel_for("terrace::incomplete::find_fill", Kokkos::RangePolicy<Space>(space, 0, space.concurrency()),
                         Find{search, &next, lengths.data(), kept.data(), {search.max_entries, &entries}, &failure});
  failure.rethrow("the fill of the factors");
  sparse::CrsGraph<Ordinal, Offset, Space> filled;
  allocate_rows(space, lengths, search, filled);
  parallel::for_range("terrace::incomplete::place_fill", Kokkos::RangePolicy<Space>(space, 0, handfuls),
                      PlaceHandfuls<Ordinal, Offset>{kept.data(), filled.row_map.data(), filled.entries.data()});
  space.fence("terrace::incomplete::fill_rows");
  return filled;
}

}  // namespace terrace::incomplete
