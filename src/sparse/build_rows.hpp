// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Count, scan, fill: how every pattern of the library is made.
//
// A visit says which entries an item gives (mostly the item is a row of another pattern): visit(item, emit) calls
// emit(row, column, source) for each. It runs twice. The first run counts the entries of each row, a scan of the counts
// is the row map, and the second run writes each entry to the next free place of its row. O(entries) work.
//
// Where item i gives entries to row i alone, the visit says so by `static constexpr bool own_row = true`: nothing is
// atomic then, and entries keep the order in which they were emitted. Otherwise they arrive in any order, and sort_rows
// makes the result independent of it.
//
// A visit whose items give an entry for each of a range of positions has begin(item), end(item) and
// entry(item, position, emit) instead, and where there is one more, finish(item, emit), which gives the last. On a
// device neighbouring threads then take neighbouring entries, and teams the long items (for_each_row.hpp).
//
// A visit that gives own rows and knows their lengths without a walk has length(row), in either case.
#pragma once

#include "parallel/loops.hpp"
#include "sparse/crs_graph.hpp"
#include "sparse/for_each_row.hpp"

namespace terrace::sparse {

template <class Visit>
concept GivesOwnRow = requires {
  requires Visit::own_row;
};

template <class Visit, class Ordinal>
concept HasPositions = requires(const Visit& visit, Ordinal item) {
  visit.begin(item);
};

/// The entry behind those with positions, if there is one.
template <class Visit, class Ordinal, class Emit>
KOKKOS_FORCEINLINE_FUNCTION void finish_item(const Visit& visit, Ordinal item, const Emit& emit) {
  if constexpr (requires { visit.finish(item, emit); }) visit.finish(item, emit);
}

/// All entries of an item by one thread.
template <class Visit, class Ordinal, class Emit>
KOKKOS_FORCEINLINE_FUNCTION void visit_item(const Visit& visit, Ordinal item, const Emit& emit) {
  if constexpr (HasPositions<Visit, Ordinal>) {
    const auto end = visit.end(item);
    for (auto k = visit.begin(item); k < end; ++k) visit.entry(item, k, emit);
    finish_item(visit, item, emit);
  } else {
    visit(item, emit);
  }
}

/// Counting and filling are walks of for_each_row where entries have positions.
template <class Visit, class Ordinal, class Offset>
struct WalkItems {
  Visit visit;

  KOKKOS_FUNCTION Offset begin(Ordinal item) const { return visit.begin(item); }
  KOKKOS_FUNCTION Offset end(Ordinal item) const { return visit.end(item); }
};

template <class Offset>
struct CountForRow {
  Offset* lengths;
  template <class Ordinal>
  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal, Offset) const {
    parallel::fetch_increment(lengths[row]);
  }
};

template <class Visit, class Ordinal, class Offset>
struct CountEntries : WalkItems<Visit, Ordinal, Offset> {
  using WalkItems<Visit, Ordinal, Offset>::visit;
  Offset* lengths;  // zeros, unless each item gives its own row

  KOKKOS_FUNCTION void operator()(Ordinal item) const {
    if constexpr (requires { visit.length(item); }) {
      lengths[item] = visit.length(item);
    } else if constexpr (GivesOwnRow<Visit>) {
      Offset length = 0;
      visit_item(visit, item, [&](Ordinal, Ordinal, Offset) { ++length; });
      lengths[item] = length;
    } else {
      visit_item(visit, item, CountForRow<Offset>{lengths});
    }
  }
  KOKKOS_FUNCTION void entry(Ordinal item, Offset k) const { visit.entry(item, k, CountForRow<Offset>{lengths}); }
  KOKKOS_FUNCTION void finish(Ordinal item) const { finish_item(visit, item, CountForRow<Offset>{lengths}); }
};

template <class Ordinal, class Offset>
struct WriteEntry {
  Ordinal* entries;
  Offset* source;  // or null
  KOKKOS_FUNCTION void operator()(Offset place, Ordinal column, Offset from) const {
    entries[place] = column;
    if (source) source[place] = from;
  }
};

template <class Visit, class Ordinal, class Offset>
struct FillEntries : WalkItems<Visit, Ordinal, Offset> {
  using WalkItems<Visit, Ordinal, Offset>::visit;
  const Offset* row_map;
  Offset* next;  // the next free place of each row; not used where each item gives its own row
  WriteEntry<Ordinal, Offset> write;

  KOKKOS_FUNCTION void operator()(Ordinal item) const {
    Offset place = GivesOwnRow<Visit> ? row_map[item] : Offset(0);
    visit_item(visit, item, [&](Ordinal row, Ordinal column, Offset from) {
      write(GivesOwnRow<Visit> ? place++ : parallel::fetch_increment(next[row]), column, from);
    });
  }
  KOKKOS_FUNCTION void entry(Ordinal item, Offset k) const {
    visit.entry(item, k, [&](Ordinal row, Ordinal column, Offset from) {
      write(place_of(row, k - visit.begin(item)), column, from);
    });
  }
  KOKKOS_FUNCTION void finish(Ordinal item) const {
    finish_item(visit, item, [&](Ordinal row, Ordinal column, Offset from) {
      write(place_of(row, visit.end(item) - visit.begin(item)), column, from);
    });
  }

 private:
  /// `number` is that of the entry among those of its item.
  KOKKOS_FUNCTION Offset place_of(Ordinal row, Offset number) const {
    return GivesOwnRow<Visit> ? row_map[row] + number : parallel::fetch_increment(next[row]);
  }
};

template <class Offset>
struct ScanLengths {
  const Offset* lengths;
  Offset* row_map;
  Offset rows;

  template <class Index>
  KOKKOS_FUNCTION void operator()(Index row, Offset& sum, bool final) const {
    if (final) row_map[row] = sum;
    if (static_cast<Offset>(row) < rows) sum += lengths[row];
  }
};

/// Fills row_map, which is one longer than lengths, with the sum of the lengths before each row; returns the sum of
/// all. Waits for the space.
template <class Ordinal, class Offset, class Space>
Offset scan_lengths(const Space& space, const parallel::Scratch<Offset, Space>& lengths,
                    const Kokkos::View<Offset*, parallel::Device<Space>>& row_map) {
  const auto rows = static_cast<Ordinal>(lengths.size());
  Offset total = 0;
  parallel::scan_range("terrace::sparse::scan_lengths", Kokkos::RangePolicy<Space>(space, 0, rows + 1),
                       ScanLengths<Offset>{lengths.data(), row_map.data(), static_cast<Offset>(rows)}, total);
  return total;
}

/// Whether the new pattern remembers where its entries stood.
enum class Sources { Forget, Keep };

/// As parallel::ScratchArrays, of views that own their memory.
struct OwningArrays {
  template <class T, class Space>
  auto take(const Space& space, const char* label, std::size_t count) const {
    return parallel::uninitialized<T>(space, label, count);
  }
};

/// Counts or fills. `entries` is about how many there are.
template <class Ordinal, class Visit, class Space, class Kernel>
void for_each_item(const Space& space, const char* label, Ordinal items, std::size_t entries, const Kernel& kernel) {
  if constexpr (!parallel::is_host_space<Space> && HasPositions<Visit, Ordinal>) {
    const parallel::Scratch<int, Space> long_items(space, "terrace::sparse::long_items", 1);
    for_each_row(space, label, items, entries, long_items.data(), kernel);
  } else {
    parallel::for_range(label, Kokkos::RangePolicy<Space>(space, 0, items), kernel);
  }
}

/// A pattern with rows of these lengths, in arrays that are taken from `arrays`; its entries are not set. Waits for the
/// space.
template <class Ordinal, class Offset, class Space, class Arrays = OwningArrays>
CrsGraph<Ordinal, Offset, Space> rows_of_lengths(const Space& space, const parallel::Scratch<Offset, Space>& lengths,
                                                 Sources sources, Arrays&& arrays = {}) {
  CrsGraph<Ordinal, Offset, Space> graph;
  graph.row_map = arrays.template take<Offset>(space, "terrace::sparse::row_map", lengths.size() + 1);
  const auto entries = static_cast<std::size_t>(scan_lengths<Ordinal, Offset, Space>(space, lengths, graph.row_map));
  graph.entries = arrays.template take<Ordinal>(space, "terrace::sparse::entries", entries);
  if (sources == Sources::Keep) graph.source = arrays.template take<Offset>(space, "terrace::sparse::source", entries);
  return graph;
}

/// A pattern of `rows` rows from so many items, in arrays that are taken from `arrays`. Waits for the space before it
/// fills.
template <class Ordinal, class Offset, class Space, class Visit, class Arrays = OwningArrays>
CrsGraph<Ordinal, Offset, Space> build_rows(const Space& space, const char* label, Ordinal rows, Ordinal items,
                                            const Visit& visit, Sources sources = Sources::Keep, Arrays&& arrays = {}) {
  constexpr std::size_t usual_length = 8;  // of items whose entries are not counted yet
  const auto count = static_cast<std::size_t>(rows);
  const parallel::Scratch<Offset, Space> lengths(space, "terrace::sparse::lengths", count);
  const CountEntries<Visit, Ordinal, Offset> counting{{visit}, lengths.data()};
  if constexpr (GivesOwnRow<Visit>) {
    parallel::for_range(label, Kokkos::RangePolicy<Space>(space, 0, items), counting);
  } else {
    lengths.fill(0);
    for_each_item<Ordinal, Visit>(space, label, items, usual_length * static_cast<std::size_t>(items), counting);
  }

  const auto graph = rows_of_lengths<Ordinal, Offset, Space>(space, lengths, sources, arrays);
  if constexpr (!GivesOwnRow<Visit>)
    parallel::copy(space, lengths.view(), Kokkos::subview(graph.row_map, std::pair(std::size_t(0), count)));
  for_each_item<Ordinal, Visit>(
      space, label, items, graph.entries.extent(0),
      FillEntries<Visit, Ordinal, Offset>{
          {visit}, graph.row_map.data(), lengths.data(), {graph.entries.data(), graph.source.data()}});
  return graph;
}

}  // namespace terrace::sparse
