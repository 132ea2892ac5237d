// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a place belongs to: a block, and a row of A.
#pragma once

#include "sparse/find_column.hpp"

namespace terrace::schwarz {

/// The last block that begins at or before the place, those without places aside: O(log blocks). Asked while patterns
/// are analyzed and where blocks are bad, never in an application.
template <class Ordinal>
struct BlockOf {
  const Ordinal* block_map;
  Ordinal blocks;

  KOKKOS_FUNCTION Ordinal size(Ordinal block) const { return block_map[block + 1] - block_map[block]; }
  KOKKOS_FUNCTION Ordinal operator[](Ordinal place) const {
    return sparse::place_of_column(block_map, Ordinal(1), blocks, static_cast<Ordinal>(place + 1)) - 1;
  }
};

/// The row of A, which stands as ~row where another block owns it.
template <class Ordinal>
KOKKOS_INLINE_FUNCTION Ordinal plain_row(Ordinal owned_row) {
  return owned_row >= 0 ? owned_row : ~owned_row;
}

}  // namespace terrace::schwarz
