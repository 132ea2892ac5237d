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

/// The same for a column that is probably near `first`: a few steps if it is, else as many as the logarithm of the
/// distance. For two lists side by side of which one may be far longer.
template <class Ordinal, class Position>
KOKKOS_INLINE_FUNCTION Position gallop_to_column(const Ordinal* entries, Position first, Position last,
                                                 Ordinal column) {
  constexpr Position near = 16, longest_stride = Position(1) << 28;
  Position at = first;
  for (const Position stop = last - first < near ? last : first + near; at < stop; ++at)
    if (!(entries[at] < column)) return at;
  Position stride = near;
  while (last - at > stride && entries[at + stride] < column) {
    at += stride;
    if (stride < longest_stride) stride += stride;
  }
  return place_of_column(entries, at, last - at > stride ? at + stride : last, column);
}

/// So few columns are walked along, whatever stands beside them.
inline constexpr int never_far_more = 32;

/// Whether `many` ascending columns are so many more than `few` that the few are searched in them, instead of walking
/// along both.
template <class Count>
KOKKOS_INLINE_FUNCTION bool are_far_more(Count many, Count few) {
  return many > Count(never_far_more) && many / 8 > few;
}

}  // namespace terrace::sparse
