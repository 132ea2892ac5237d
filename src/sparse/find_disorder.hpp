// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the rows of a matrix are as they should be, which they nearly always are: in the arrays, ascending, each with
// its diagonal. For hosts, before check_structure.hpp finds out what is wrong and where.
//
// An entry that is not larger than the one before it stands where a row begins, and nowhere else. So descents are
// counted over the entries of many rows, in a loop that a compiler turns into vector instructions, and again where rows
// begin: all rows ascend if and only if the numbers are the same.
#pragma once

#include "parallel/concurrency.hpp"
#include "parallel/index_arithmetic.hpp"
#include "parallel/loops.hpp"

namespace terrace::sparse {

template <class Ordinal, class Offset>
struct FindDisorder {
  const Offset* row_map;
  const Ordinal* entries;
  std::size_t entry_count;
  Ordinal rows;
  Offset* diagonal;      // of full matrices: written; null for a stored triangle,
  bool behind_diagonal;  // whose strict part lies there
  unsigned* found;       // becomes 1

  static constexpr Ordinal rows_of_block = 256;

  KOKKOS_FUNCTION void operator()(Ordinal block) const {
    if (parallel::relaxed_load(*found) != 0) return;
    const Ordinal first = block * rows_of_block, last = rows - first > rows_of_block ? first + rows_of_block : rows;
    if (!lie_in_arrays(first, last) || !are_in_order(first, last)) parallel::release_store(*found, 1u);
  }

  /// And none is empty; so all entries between them may be read, and counted in an int.
  KOKKOS_FUNCTION bool lie_in_arrays(Ordinal first, Ordinal last) const {
    const Offset begin = row_map[first], end = row_map[last];
    int empty = 0;
    for (Ordinal row = first; row < last; ++row) empty += row_map[row + 1] <= row_map[row] ? 1 : 0;
    return empty == 0 && begin >= 0 && static_cast<std::size_t>(end) <= entry_count && (first != 0 || begin == 0) &&
           (last != rows || static_cast<std::size_t>(end) == entry_count) &&
           static_cast<std::size_t>(end - begin) <= static_cast<std::size_t>(Kokkos::Experimental::finite_max_v<int>);
  }

  KOKKOS_FUNCTION bool are_in_order(Ordinal first, Ordinal last) const {
    int descents = 0, wrong = 0;
    for (Offset k = row_map[first] + 1; k < row_map[last]; ++k) descents += entries[k] <= entries[k - 1] ? 1 : 0;
    for (Ordinal row = first; row < last; ++row) {
      const Offset begin = row_map[row], end = row_map[row + 1];
      if (row != first) descents -= entries[begin] <= entries[begin - 1] ? 1 : 0;
      const Offset position = diagonal ? last_up_to(row, begin, end) : behind_diagonal ? begin : end - 1;
      if (diagonal) diagonal[row] = position;
      wrong |= (entries[position] != row) | (entries[begin] < 0) | (entries[end - 1] >= rows);
    }
    return descents == 0 && wrong == 0;
  }

  /// Where the last of ascending entries stands that is not larger than the row. Without branches, which nobody could
  /// predict: with place_of_column, short rows take a fifth longer.
  KOKKOS_FUNCTION Offset last_up_to(Ordinal row, Offset begin, Offset end) const {
    for (Offset length = end - begin; length > 1;) {
      const Offset half = length / 2;
      begin += entries[begin + half] <= row ? half : Offset(0);
      length -= half;
    }
    return begin;
  }
};

/// False where something may be wrong, or a diagonal is not stored. For rows > 0; `diagonal` is written for full
/// matrices, and null for stored triangles.
template <class Ordinal, class Offset, class Space>
bool are_in_order(const Space& space, const Offset* row_map, const Ordinal* entries, std::size_t entry_count,
                  Ordinal rows, Offset* diagonal, bool behind_diagonal) {
  using Find = FindDisorder<Ordinal, Offset>;
  unsigned found = 0;
  Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>> policy(space, 0,
                                                                       parallel::divide_up(rows, Find::rows_of_block));
  policy.set_chunk_size(4);
  parallel::for_range("terrace::sparse::find_disorder", policy,
                      Find{row_map, entries, entry_count, rows, diagonal, behind_diagonal, &found});
  return found == 0;
}

}  // namespace terrace::sparse
