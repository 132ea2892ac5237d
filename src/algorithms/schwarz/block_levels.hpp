// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The level sets of each block of M, in one order: by block, by level, by place.
//
// Blocks do not touch, so the level of a place in M is its level in its block. A block has at most as many levels as
// places; level l of a block that begins at place b is slot b + l, and slot s holds order(begin(s)), ...,
// order(begin(s + 1) - 1). Slots beyond a block's last level are empty.
#pragma once

#include <cstdint>

#include "algorithms/schwarz/engine.hpp"
#include "parallel/loops.hpp"
#include "parallel/sort_keys.hpp"
#include "sparse/assign_levels.hpp"

namespace terrace::schwarz {

/// One triangle of the merged pattern without its diagonal, as a graph of dependences.
template <class Ordinal, class Offset>
struct StrictTriangle {
  const Offset* row_map;
  const Offset* diagonal;
  const Ordinal* entries;
  bool upper;
  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return upper ? diagonal[row] + 1 : row_map[row]; }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return upper ? row_map[row + 1] : diagonal[row]; }
};

template <class Ordinal, class Space>
struct BlockLevels {
  Kokkos::View<const Ordinal*, parallel::Device<Space>> order;   // empty on hosts, which go row by row
  Kokkos::View<const Ordinal*, parallel::Device<Space>> begin;   // by slot; places + 1
  Kokkos::View<const Ordinal*, parallel::Device<Space>> levels;  // of each block
  Ordinal deepest = 0;

  std::size_t bytes_held() const { return (order.span() + begin.span() + levels.span()) * sizeof(Ordinal); }
};

template <class Ordinal>
struct PackSlots {
  const Ordinal* block_map;
  BlockOf<Ordinal> block_of;
  const Ordinal* level;
  std::uint64_t* keys;
  Ordinal* levels;
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    const Ordinal block = block_of[place];
    keys[place] = static_cast<std::uint64_t>(block_map[block] + level[place]) << 32 | static_cast<std::uint64_t>(place);
    parallel::atomic_raise(levels[block], static_cast<Ordinal>(level[place] + 1));
  }
};

template <class Ordinal>
struct UnpackSlots {
  const std::uint64_t* keys;
  Ordinal* order;
  Ordinal* begin;
  Ordinal places;
  KOKKOS_FUNCTION void operator()(Ordinal at) const {
    const Ordinal first = at == 0 ? 0 : static_cast<Ordinal>(keys[at - 1] >> 32) + 1;  // slots that begin here
    const Ordinal last = at == places ? places : static_cast<Ordinal>(keys[at] >> 32);
    for (Ordinal slot = first; slot <= last; ++slot) begin[slot] = at;
    if (at < places) order[at] = static_cast<Ordinal>(keys[at] & 0xffffffffu);
  }
};

/// Waits for the space.
template <class Ordinal, class Offset, class Space>
BlockLevels<Ordinal, Space> find_block_levels(const Space& space, const BlockPattern<Ordinal, Offset, Space>& pattern,
                                              bool upper) {
  const Ordinal places = pattern.places();
  const StrictTriangle<Ordinal, Offset> graph{pattern.row_map.data(), pattern.diagonal.data(), pattern.entries.data(),
                                              upper};
  const auto assigned = sparse::assign_levels<Ordinal, Offset, Space>(space, graph, places, true, upper);
  BlockLevels<Ordinal, Space> found;
  found.deepest = assigned.levels;
  if constexpr (!parallel::is_host_space<Space>) {
    const auto count = static_cast<std::size_t>(places);
    const parallel::Scratch<std::uint64_t, Space> keys(space, "terrace::schwarz::keys", count);
    const auto levels =
        parallel::zeros<Ordinal>(space, "terrace::schwarz::levels", static_cast<std::size_t>(pattern.blocks()));
    const auto order = parallel::uninitialized<Ordinal>(space, "terrace::schwarz::order", count);
    const auto begin = parallel::uninitialized<Ordinal>(space, "terrace::schwarz::begin", count + 1);
    parallel::for_range("terrace::schwarz::pack_slots", Kokkos::RangePolicy<Space>(space, 0, places),
                        PackSlots<Ordinal>{pattern.block_map.data(), pattern.block_of(), assigned.level.data(),
                                           keys.data(), levels.data()});
    parallel::sort_keys<Space>(space, keys.view());
    parallel::for_range("terrace::schwarz::unpack_slots", Kokkos::RangePolicy<Space>(space, 0, places + 1),
                        UnpackSlots<Ordinal>{keys.data(), order.data(), begin.data(), places});
    found.order = order;
    found.begin = begin;
    found.levels = levels;
    space.fence("terrace::schwarz::find_block_levels");
  }
  return found;
}

}  // namespace terrace::schwarz
