// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which block a place belongs to. Asked while patterns are analyzed and where blocks are bad, never in an application.
#pragma once

#include <Kokkos_Core.hpp>

namespace terrace::schwarz {

/// The last block that begins at or before the place, those without places aside: O(log blocks).
template <class Ordinal>
struct BlockOf {
  const Ordinal* block_map;
  Ordinal blocks;

  KOKKOS_FUNCTION Ordinal size(Ordinal block) const { return block_map[block + 1] - block_map[block]; }
  KOKKOS_FUNCTION Ordinal operator[](Ordinal place) const {
    Ordinal low = 0, high = blocks;
    while (high - low > 1) {
      const Ordinal middle = low + (high - low) / 2;
      if (block_map[middle] <= place) low = middle;
      else high = middle;
    }
    return low;
  }
};

}  // namespace terrace::schwarz
