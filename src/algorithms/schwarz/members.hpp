// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of all blocks as one sorted list of keys (block, row): the blocks of a partition before and while they are
// enlarged.
//
// A layer of neighbours: each member of the newest layer names its neighbours in the graph of A + A^T as candidates of
// its block (count, scan, fill), the candidates are sorted, those that stand there twice or are members already are
// left out, and what remains is merged in. A neighbour that the block owns is a member since the beginning and is never
// named, so that candidates are as many as the surfaces of the blocks have neighbours. The first layer needs no A^T: an
// entry (r, c) of A between two blocks makes c a candidate of r's block and r one of c's.
//
// Each candidate that is named through an entry of A is an entry of the enlarged matrix too, so more candidates than
// the enlarged matrix may have entries end the growth before they are stored.
//
// Cost: O(entries) for the first layer, O(candidates log candidates) for the sort of each. On a device neighbouring
// threads take neighbouring entries of an item, and teams the long ones (for_each_row.hpp); each entry that names
// candidates adds to its item's count then, and the places of an item's candidates follow no order.
#pragma once

#include <cstdint>

#include "algorithms/schwarz/block_of.hpp"
#include "parallel/loops.hpp"
#include "parallel/sort_keys.hpp"
#include "sparse/build_rows.hpp"
#include "sparse/find_column.hpp"

namespace terrace::schwarz {

using Key = std::uint64_t;
template <class Space>
using Keys = Kokkos::View<Key*, parallel::Device<Space>>;

template <class Ordinal>
KOKKOS_INLINE_FUNCTION Key make_key(Ordinal block, Ordinal row) {
  return static_cast<Key>(block) << 32 | static_cast<Key>(row);
}
template <class Ordinal>
KOKKOS_INLINE_FUNCTION Ordinal block_of_key(Key key) {
  return static_cast<Ordinal>(key >> 32);
}
template <class Ordinal>
KOKKOS_INLINE_FUNCTION Ordinal row_of_key(Key key) {
  return static_cast<Ordinal>(key & 0xffffffffu);
}

template <class Ordinal, class Offset>
KOKKOS_INLINE_FUNCTION std::int64_t length_of(const sparse::GraphView<Ordinal, Offset>& graph, Ordinal row) {
  return static_cast<std::int64_t>(graph.end(row) - graph.begin(row));
}

/// A layer calls emit(key) for each candidate that an entry of an item names; the item has so many entries.
template <class Ordinal, class Offset>
struct FirstLayer {
  sparse::GraphView<Ordinal, Offset> graph;
  const Ordinal* block_of;

  KOKKOS_FUNCTION std::int64_t length(std::int64_t item) const { return length_of(graph, static_cast<Ordinal>(item)); }
  template <class Emit>
  KOKKOS_FUNCTION void entry(std::int64_t item, std::int64_t k, const Emit& emit) const {
    const auto row = static_cast<Ordinal>(item);
    const Ordinal column = graph.entries[graph.begin(row) + static_cast<Offset>(k)];
    const Ordinal mine = block_of[row], other = block_of[column];
    if (other == mine) return;
    emit(make_key(mine, column));
    emit(make_key(other, row));
  }
};

template <class Ordinal, class Offset>
struct NextLayer {
  sparse::GraphView<Ordinal, Offset> graph, transposed;
  const Ordinal* block_of;
  const Key* newest;

  KOKKOS_FUNCTION std::int64_t length(std::int64_t item) const {
    const auto row = row_of_key<Ordinal>(newest[item]);
    return length_of(graph, row) + length_of(transposed, row);
  }
  template <class Emit>
  KOKKOS_FUNCTION void entry(std::int64_t item, std::int64_t k, const Emit& emit) const {
    const auto block = block_of_key<Ordinal>(newest[item]), row = row_of_key<Ordinal>(newest[item]);
    const std::int64_t of_graph = length_of(graph, row);
    const Ordinal column = k < of_graph ? graph.entries[graph.begin(row) + static_cast<Offset>(k)]
                                        : transposed.entries[transposed.begin(row) + static_cast<Offset>(k - of_graph)];
    if (block_of[column] != block) emit(make_key(block, column));
  }
};

/// Counts the candidates of each item, or puts them where its places begin, as a walk of for_each_row: of an item by
/// one thread, or entry by entry.
template <class Layer, bool Fills>
struct VisitCandidates {
  Layer layer;
  std::int64_t* places;  // counts, zeros before; or where the next candidate of each item goes
  Key* keys;

  KOKKOS_FUNCTION std::int64_t begin(std::int64_t) const { return 0; }
  KOKKOS_FUNCTION std::int64_t end(std::int64_t item) const { return layer.length(item); }
  KOKKOS_FUNCTION void finish(std::int64_t) const {}
  KOKKOS_FUNCTION void entry(std::int64_t item, std::int64_t k) const {
    layer.entry(item, k, [&](Key key) {
      const std::int64_t place = parallel::fetch_increment(places[item]);
      if constexpr (Fills) keys[place] = key;
    });
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t place = places[item];
    for (std::int64_t k = 0; k < end(item); ++k)
      layer.entry(item, k, [&](Key key) {
        if constexpr (Fills) keys[place] = key;
        ++place;
      });
    places[item] = place;
  }
};

/// From the number of candidates of each item to where they begin.
struct PlaceCandidates {
  std::int64_t* places;
  KOKKOS_FUNCTION void operator()(std::int64_t item, std::int64_t& before, bool final) const {
    const std::int64_t count = places[item];
    if (final) places[item] = before;
    before += count;
  }
};

/// Where a key stands among sorted ones, or would stand.
KOKKOS_INLINE_FUNCTION std::size_t place_of_key(const Key* keys, std::size_t count, Key key) {
  return sparse::place_of_column(keys, std::size_t(0), count, key);
}

/// Candidates that stand for the first time, and are no members: their places in a scan.
struct KeepNew {
  const Key* candidates;
  const Key* members;
  std::size_t member_count;
  Key* kept;  // null while they are counted

  KOKKOS_FUNCTION bool is_new(std::size_t k) const {
    const Key key = candidates[k];
    if (k > 0 && candidates[k - 1] == key) return false;
    const std::size_t place = place_of_key(members, member_count, key);
    return place == member_count || members[place] != key;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& before, bool final) const {
    if (!is_new(static_cast<std::size_t>(k))) return;
    if (final) kept[before] = candidates[k];
    ++before;
  }
};

/// Keys of one sorted list go behind those of the other that are smaller.
struct MergeKeys {
  const Key* from;
  const Key* others;
  std::size_t other_count;
  Key* merged;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    merged[static_cast<std::size_t>(k) + place_of_key(others, other_count, from[k])] = from[k];
  }
};

template <class Ordinal>
struct OwnedKeys {
  const Ordinal* block_of;
  Key* keys;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { keys[row] = make_key(block_of[row], row); }
};

template <class Space>
auto each_key(const Space& space, std::size_t count) {
  return Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, static_cast<std::int64_t>(count));
}

/// The rows of each block of a partition.
template <class Space, class Ordinal>
Keys<Space> owned_members(const Space& space,
                          const Kokkos::View<const Ordinal*, parallel::Device<Space>>& block_numbers) {
  const auto keys = parallel::uninitialized<Key>(space, "terrace::schwarz::members", block_numbers.extent(0));
  parallel::for_range("terrace::schwarz::owned_keys",
                      Kokkos::RangePolicy<Space>(space, 0, static_cast<Ordinal>(keys.extent(0))),
                      OwnedKeys<Ordinal>{block_numbers.data(), keys.data()});
  parallel::sort_keys<Space>(space, keys);
  return keys;
}

/// The candidates that the layer's items name, sorted. `entries` is about how many entries the items have. \throws what
/// `check` throws for too many.
template <class Space, class Layer, class Check>
Keys<Space> list_candidates(const Space& space, std::size_t items, std::size_t entries, const Layer& layer,
                            const Check& check) {
  const parallel::Scratch<std::int64_t, Space> places(space, "terrace::schwarz::places", items);
  places.fill(0);
  const auto visit = [&]<class Walk>(const char* label, const Walk& walk) {
    sparse::for_each_item<std::int64_t, Walk>(space, label, static_cast<std::int64_t>(items), entries, walk);
  };
  visit("terrace::schwarz::count_candidates", VisitCandidates<Layer, false>{layer, places.data(), nullptr});
  std::int64_t total = 0;
  parallel::scan_range("terrace::schwarz::place_candidates", each_key(space, items), PlaceCandidates{places.data()},
                       total);
  check(total);
  const auto keys =
      parallel::uninitialized<Key>(space, "terrace::schwarz::candidates", static_cast<std::size_t>(total));
  visit("terrace::schwarz::fill_candidates", VisitCandidates<Layer, true>{layer, places.data(), keys.data()});
  parallel::sort_keys<Space>(space, keys);
  return keys;
}

/// The candidates that are not members yet, each once. Waits for the space.
template <class Space>
Keys<Space> new_members(const Space& space, const Keys<Space>& candidates, const Keys<Space>& members) {
  const auto kept = parallel::uninitialized<Key>(space, "terrace::schwarz::new_members", candidates.extent(0));
  std::int64_t count = 0;
  if (candidates.extent(0) > 0)
    parallel::scan_range("terrace::schwarz::keep_new", each_key(space, candidates.extent(0)),
                         KeepNew{candidates.data(), members.data(), members.extent(0), kept.data()}, count);
  return Kokkos::subview(kept, std::pair(std::int64_t(0), count));
}

template <class Space>
Keys<Space> merge_members(const Space& space, const Keys<Space>& members, const Keys<Space>& added) {
  const std::size_t total = members.extent(0) + added.extent(0);
  const auto merged = parallel::uninitialized<Key>(space, "terrace::schwarz::members", total);
  const auto place = [&](const Keys<Space>& from, const Keys<Space>& others) {
    parallel::for_range("terrace::schwarz::merge_members", each_key(space, from.extent(0)),
                        MergeKeys{from.data(), others.data(), others.extent(0), merged.data()});
  };
  place(members, added);
  place(added, members);
  return merged;
}

template <class Ordinal>
struct PackTurns {
  BlockOf<Ordinal> block_of;
  Key* keys;
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    keys[place] = make_key(static_cast<Ordinal>(place - block_of.block_map[block_of[place]]), place);
  }
};

template <class Ordinal>
struct UnpackTurns {
  const Key* keys;
  Ordinal* order;
  KOKKOS_FUNCTION void operator()(Ordinal at) const { order[at] = row_of_key<Ordinal>(keys[at]); }
};

/// The first places of all blocks, then the second ones, and so on. Waits for the space.
template <class Space, class Ordinal>
Kokkos::View<const Ordinal*, parallel::Device<Space>> order_by_turn(const Space& space,
                                                                    const BlockOf<Ordinal>& block_of,
                                                                    std::size_t places) {
  const Kokkos::RangePolicy<Space> each_place(space, 0, static_cast<Ordinal>(places));
  const parallel::Scratch<Key, Space> keys(space, "terrace::schwarz::turns", places);
  const auto order = parallel::uninitialized<Ordinal>(space, "terrace::schwarz::claim_order", places);
  parallel::for_range("terrace::schwarz::pack_turns", each_place, PackTurns<Ordinal>{block_of, keys.data()});
  parallel::sort_keys<Space>(space, keys.view());
  parallel::for_range("terrace::schwarz::unpack_turns", each_place, UnpackTurns<Ordinal>{keys.data(), order.data()});
  space.fence("terrace::schwarz::order_by_turn");
  return order;
}

}  // namespace terrace::schwarz
