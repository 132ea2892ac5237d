// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows with very many entries behind their diagonals, as those of a network's hubs, in pieces: the head of a row is
// what stands up to its diagonal, the diagonal included, and each tail is some of the entries behind it. A warp takes
// each of them (eliminate_tails.hpp).
//
// Warps claim heads and tails as they claim rows. The tails of a row stand right behind its head in the order of
// claims. So whoever waits waits for what was claimed before: a tail for the head of its row, and both for the rows
// that the row needs.
//
// Rows with very many entries left of their diagonals have pieces alone, claimed in the same way (inner_rows.hpp).
#pragma once

#include "backends/cuda/incomplete/inner_rows.hpp"
#include "parallel/index_arithmetic.hpp"
#include "sparse/triangle.hpp"

namespace terrace::cuda::incomplete {

/// A tail, or a piece of a row that is eliminated by inner products.
struct RowTail {
  static constexpr int most_entries = EliminationTuning::entries_of_tail, no_piece = -1;

  int row;
  int first;             // of its entries, in the row
  int entry = no_piece;  // of a piece: the same among those of all rows that are eliminated by inner products

  KOKKOS_FUNCTION bool is_piece() const { return entry != no_piece; }
};

/// Of a row with so many entries behind its diagonal; none where one warp takes all of the row.
KOKKOS_INLINE_FUNCTION int count_tails(int entries_behind) {
  return entries_behind > EliminationTuning::longest_upper_of_warp
             ? parallel::divide_up(entries_behind, RowTail::most_entries)
             : 0;
}

/// Entries of a row that no tail has, where it has so many left of its diagonal and so many in all.
KOKKOS_INLINE_FUNCTION int length_without_tails(int steps, int length) {
  return count_tails(length - steps - 1) > 0 ? steps + 1 : length;
}

/// Tails are negative numbers among the items that are claimed, and a head has the number of its row.
KOKKOS_INLINE_FUNCTION int item_of_tail(int tail) { return -1 - tail; }
KOKKOS_INLINE_FUNCTION int tail_of_item(int item) { return -1 - item; }

/// As many tails as rows with so many entries may have together.
inline std::size_t max_tails(std::size_t entries) {
  static_assert(EliminationTuning::longest_upper_of_warp >= RowTail::most_entries);  // none is less than half full
  return 2 * entries / static_cast<std::size_t>(RowTail::most_entries);
}

/// The same of pieces.
template <class Offset>
std::size_t max_pieces(std::size_t entries) {
  static_assert(EliminationTuning::steps_of_inner_row >= InnerRows<Offset>::entries_of_piece);
  return 2 * entries / static_cast<std::size_t>(InnerRows<Offset>::entries_of_piece);
}

/// Puts the tails behind their rows in an order of claims, and pieces in place of rows, as a scan.
template <class Offset>
struct CutRows {
  sparse::TriangleView<int, Offset> pattern;  // with positions of diagonals
  const int* items;                           // numbers behind the last row stay where they are among the others
  int* cut_items;
  RowTail* tails;

  InnerRows<Offset> inner{};

  KOKKOS_FUNCTION void operator()(int position, int& sum, bool final) const {
    const int row = items[position];
    const int number = row < pattern.rows ? inner.number_of(row) : inner.count;
    if (number < inner.count) return put_pieces(position, number, sum, final);
    const Offset begin = row < pattern.rows ? pattern.diagonal[row] + 1 : Offset(0);
    const int count = row < pattern.rows ? count_tails(static_cast<int>(pattern.row_map[row + 1] - begin)) : 0;
    if (final) {
      int* const to = cut_items + position + sum;
      to[0] = row;
      for (int t = 0; t < count; ++t) {
        to[1 + t] = item_of_tail(sum + t);
        tails[sum + t] = {row, static_cast<int>(begin - pattern.row_map[row]) + t * RowTail::most_entries};
      }
    }
    sum += count;
  }

 private:
  KOKKOS_FUNCTION void put_pieces(int position, int number, int& sum, bool final) const {
    const int length = inner.first[number + 1] - inner.first[number];
    const int count = parallel::divide_up(length, InnerRows<Offset>::entries_of_piece);
    if (final) {
      int* const to = cut_items + position + sum;
      to[0] = pattern.rows;  // passed over
      for (int t = 0; t < count; ++t) {
        const int first = t * InnerRows<Offset>::entries_of_piece;
        to[1 + t] = item_of_tail(sum + t);
        tails[sum + t] = {items[position], first, inner.first[number] + first};
      }
    }
    sum += count;
  }
};

}  // namespace terrace::cuda::incomplete
