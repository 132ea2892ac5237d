// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic with numbers of rows and positions of entries that holds up to the largest ones that their types can name.
//
// An int names rows up to 2^31 - 2 and, as an Offset, positions up to 2^31 - 1. What steps over them in strides, or
// rounds them up, passes those numbers and must not wrap around; 64 bits would do, and cost registers in loops that
// have none to spare. So loops count what they have gone from where they began, in unsigned numbers, or what is left.
#pragma once

#include <Kokkos_Macros.hpp>
#include <type_traits>

namespace terrace::parallel {

/// count / by, rounded up; neither is negative.
template <class Count>
KOKKOS_INLINE_FUNCTION constexpr Count divide_up(Count count, Count by) {
  return count / by + (count % by != 0 ? Count(1) : Count(0));
}

/// a + b modulo the numbers of the type: for places that nobody looks at where the sum would be too large.
template <class Offset>
KOKKOS_INLINE_FUNCTION constexpr Offset wrapped_sum(Offset a, int b) {
  using Unsigned = std::make_unsigned_t<Offset>;
  return static_cast<Offset>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
}

/// Calls body(k) for k = begin + lane, begin + lane + lanes, ... below `end`, which is not below `begin`.
template <class Offset, class Body>
KOKKOS_INLINE_FUNCTION void for_entries_of_lane(Offset begin, Offset end, int lane, int lanes, const Body& body) {
  using Count = std::make_unsigned_t<Offset>;
  const auto length = static_cast<Count>(end - begin);
  for (auto k = static_cast<Count>(lane); k < length; k += static_cast<Count>(lanes))
    body(begin + static_cast<Offset>(k));
}

/// The entries that a lane has still to look at, some at a time: `next`, and those behind it in strides. A row has
/// fewer than 2^31 entries.
template <class Offset>
struct EntriesLeft {
  Offset next = 0;
  int left = 0;  // from `next` to the end of the row; none when it is not positive

  KOKKOS_FUNCTION static EntriesLeft of_row(Offset begin, Offset end) { return {begin, static_cast<int>(end - begin)}; }
  KOKKOS_FUNCTION bool any() const { return left > 0; }
  KOKKOS_FUNCTION bool has(int ahead) const { return ahead < left; }
  KOKKOS_FUNCTION Offset place(int ahead) const { return next + static_cast<Offset>(ahead); }
  KOKKOS_FUNCTION void advance(int by) {
    next = wrapped_sum(next, by);
    left -= by;
  }
};

}  // namespace terrace::parallel
