// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace terrace::cuda {

/// Where the column stands in [first, last) of ascending entries, or last.
template <class Position>
KOKKOS_INLINE_FUNCTION Position find_column(const int* entries, Position first, Position last, int column) {
  Position low = first, high = last;
  while (low < high) {
    const Position middle = low + (high - low) / 2;
    if (entries[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low < last && entries[low] == column ? low : last;
}

}  // namespace terrace::cuda
