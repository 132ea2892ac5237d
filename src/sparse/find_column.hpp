// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace terrace::sparse {

/// Where the column stands in [first, last) of ascending entries, or would stand.
template <class Ordinal, class Position>
KOKKOS_INLINE_FUNCTION Position place_of_column(const Ordinal* entries, Position first, Position last, Ordinal column) {
  Position low = first, high = last;
  while (low < high) {
    const Position middle = low + (high - low) / 2;
    if (entries[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// Where it stands, or last.
template <class Ordinal, class Position>
KOKKOS_INLINE_FUNCTION Position find_column(const Ordinal* entries, Position first, Position last, Ordinal column) {
  const Position place = place_of_column(entries, first, last, column);
  return place < last && entries[place] == column ? place : last;
}

/// Whether `many` ascending columns are so many more than `few` that the few are searched in them, instead of walking
/// along both.
template <class Count>
KOKKOS_INLINE_FUNCTION bool are_far_more(Count many, Count few) {
  return many > 32 && many / 8 > few;
}

}  // namespace terrace::sparse
