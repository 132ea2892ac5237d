// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Count, scan, fill: how every pattern of the library is made.
//
// A visit says which entries an item gives (mostly the item is a row of another pattern): visit(item, emit) calls
// emit(row, column, source) for each. It runs twice. The first run counts the entries of each row, a scan of the counts
// is the row map, and the second run writes each entry to the next free place of its row. O(entries) work.
//
// Where item i gives entries to row i alone, the visit says so by `static constexpr bool own_row = true`: nothing is
// atomic then, and entries keep the order in which they were emitted. Otherwise they arrive in any order, and sort_rows
// makes the result independent of it. A visit that knows the length of its row without a walk has length(row).
#pragma once

#include "sparse/crs_graph.hpp"

namespace terrace::sparse {

template <class Visit>
concept GivesOwnRow = requires {
  requires Visit::own_row;
};

template <class Visit, class Ordinal, class Offset>
struct CountEntries {
  Visit visit;
  Offset* lengths;  // zeros, unless each item gives its own row

  KOKKOS_FUNCTION void operator()(Ordinal item) const {
    if constexpr (requires { visit.length(item); }) {
      lengths[item] = visit.length(item);
    } else if constexpr (GivesOwnRow<Visit>) {
      Offset length = 0;
      visit(item, [&](Ordinal, Ordinal, Offset) { ++length; });
      lengths[item] = length;
    } else {
      visit(item, [&](Ordinal row, Ordinal, Offset) { parallel::fetch_increment(lengths[row]); });
    }
  }
};

template <class Visit, class Ordinal, class Offset>
struct FillEntries {
  Visit visit;
  const Offset* row_map;
  Offset* next;  // the next free place of each row; null where each item gives its own row
  Ordinal* entries;
  Offset* source;  // or null

  KOKKOS_FUNCTION void write(Offset place, Ordinal column, Offset from) const {
    entries[place] = column;
    if (source) source[place] = from;
  }
  KOKKOS_FUNCTION void operator()(Ordinal item) const {
    if constexpr (GivesOwnRow<Visit>) {
      Offset place = row_map[item];
      visit(item, [&](Ordinal, Ordinal column, Offset from) { write(place++, column, from); });
    } else {
      visit(item, [&](Ordinal row, Ordinal column, Offset from) {
        write(parallel::fetch_increment(next[row]), column, from);
      });
    }
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
  Kokkos::parallel_scan("terrace::sparse::scan_lengths", Kokkos::RangePolicy<Space>(space, 0, rows + 1),
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

/// A pattern of `rows` rows from so many items, in arrays that are taken from `arrays`. Waits for the space before it
/// fills.
template <class Ordinal, class Offset, class Space, class Visit, class Arrays = OwningArrays>
CrsGraph<Ordinal, Offset, Space> build_rows(const Space& space, const char* label, Ordinal rows, Ordinal items,
                                            const Visit& visit, Sources sources = Sources::Keep, Arrays&& arrays = {}) {
  const Kokkos::RangePolicy<Space> each_item(space, 0, items);
  const auto count = static_cast<std::size_t>(rows);
  const parallel::Scratch<Offset, Space> lengths(space, "terrace::sparse::lengths", count);
  if constexpr (!GivesOwnRow<Visit>) lengths.fill(0);
  Kokkos::parallel_for(label, each_item, CountEntries<Visit, Ordinal, Offset>{visit, lengths.data()});

  CrsGraph<Ordinal, Offset, Space> graph;
  graph.row_map = arrays.template take<Offset>(space, "terrace::sparse::row_map", count + 1);
  const Offset total = scan_lengths<Ordinal, Offset, Space>(space, lengths, graph.row_map);
  const auto entries = static_cast<std::size_t>(total);
  graph.entries = arrays.template take<Ordinal>(space, "terrace::sparse::entries", entries);
  if (sources == Sources::Keep) graph.source = arrays.template take<Offset>(space, "terrace::sparse::source", entries);

  if constexpr (!GivesOwnRow<Visit>)
    Kokkos::deep_copy(space, lengths.view(), Kokkos::subview(graph.row_map, std::pair(std::size_t(0), count)));
  Kokkos::parallel_for(label, each_item,
                       FillEntries<Visit, Ordinal, Offset>{visit, graph.row_map.data(), lengths.data(),
                                                           graph.entries.data(), graph.source.data()});
  return graph;
}

}  // namespace terrace::sparse
