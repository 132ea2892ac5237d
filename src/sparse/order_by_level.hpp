// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes by level, ascending within a level, and where each level begins.
//
// One thread counts and places; many sort the keys (level, node), which are unique, so the order is the
// same whichever way it was made.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/joined_arrays.hpp"
#include "parallel/loops.hpp"
#include "parallel/sort_keys.hpp"
#include "sparse/assign_levels.hpp"

namespace terrace::sparse {

template <class Ordinal, class Space>
struct LevelOrder {
  Kokkos::View<Ordinal*, parallel::Device<Space>> order;
  Kokkos::View<Ordinal*, parallel::Device<Space>> level_offsets;  // on the device, in `memory`
  std::vector<Ordinal> offsets;                                   // the same on the host

  parallel::SharedMemory<Space> memory = {};

  Ordinal levels() const { return static_cast<Ordinal>(offsets.size()) - 1; }
};

template <class Ordinal>
struct CountingSort {
  const Ordinal* level;
  Ordinal* order;
  Ordinal* offsets;  // zeros on entry, one longer than the levels
  Ordinal count;
  Ordinal levels;

  KOKKOS_FUNCTION void operator()(int) const {
    for (Ordinal node = 0; node < count; ++node) ++offsets[level[node]];
    Ordinal sum = 0;
    for (Ordinal at = 0; at <= levels; ++at) {
      const Ordinal width = at < levels ? offsets[at] : 0;
      offsets[at] = sum;
      sum += width;
    }
    for (Ordinal node = 0; node < count; ++node) order[offsets[level[node]]++] = node;
    for (Ordinal at = levels; at > 0; --at) offsets[at] = offsets[at - 1];
    offsets[0] = 0;
  }
};

template <class Ordinal>
struct PackKeys {
  const Ordinal* level;
  std::uint64_t* keys;
  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    keys[node] = static_cast<std::uint64_t>(level[node]) << 32 | static_cast<std::uint64_t>(node);
  }
};

template <class Ordinal>
struct UnpackKeys {
  const std::uint64_t* keys;
  Ordinal* order;
  Ordinal* offsets;
  Ordinal count;
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    order[place] = static_cast<Ordinal>(keys[place] & 0xffffffffu);
    const auto level = keys[place] >> 32;
    if (place == 0 || keys[place - 1] >> 32 != level) offsets[level] = place;
    if (place == count - 1) offsets[level + 1] = count;
  }
};

template <class Ordinal, class Space>
LevelOrder<Ordinal, Space> order_by_level(const Space& space, const LevelAssignment<Ordinal, Space>& levels) {
  const auto count = static_cast<Ordinal>(levels.level.size());
  LevelOrder<Ordinal, Space> result;
  result.order = parallel::uninitialized<Ordinal>(space, "terrace::schedule::order", count);
  using Arrays = parallel::JoinedArrays<Space>;
  const std::size_t offsets = static_cast<std::size_t>(levels.levels) + 1;
  Arrays arrays(space, "terrace::schedule::level_offsets", Arrays::template bytes<Ordinal>(offsets));
  result.level_offsets = arrays.template take_view<Ordinal>(offsets);
  result.memory = arrays.share();
  parallel::fill(space, result.level_offsets, Ordinal(0));
  if (parallel::is_host_space<Space>) {
    parallel::run_alone(space, "terrace::sparse::counting_sort",
                        CountingSort<Ordinal>{levels.level.data(), result.order.data(), result.level_offsets.data(),
                                              count, levels.levels});
  } else if (count > 0) {
    const parallel::Scratch<std::uint64_t, Space> keys(space, "terrace::sparse::keys", std::size_t(count));
    parallel::for_range("terrace::sparse::pack_keys", Kokkos::RangePolicy<Space>(space, 0, count),
                        PackKeys<Ordinal>{levels.level.data(), keys.data()});
    parallel::sort_keys<Space>(space, keys.view());
    parallel::for_range("terrace::sparse::unpack_keys", Kokkos::RangePolicy<Space>(space, 0, count),
                        UnpackKeys<Ordinal>{keys.data(), result.order.data(), result.level_offsets.data(), count});
  }
  result.offsets.resize(static_cast<std::size_t>(levels.levels) + 1);
  parallel::copy(space, parallel::on_host(result.offsets.data(), result.offsets.size()), result.level_offsets);
  space.fence("terrace::sparse::order_by_level");
  return result;
}

}  // namespace terrace::sparse
