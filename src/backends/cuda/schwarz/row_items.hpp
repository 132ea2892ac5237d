// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is solved in turn in a triangle: rows, and pieces of rows that are too long for a slice.
//
// A row of more than entries_per_piece entries is cut into pieces. Each subtracts its products from the row's unknown,
// one step after the other; the last piece, which counts as the row itself, also divides by the diagonal. So items
// 0, ..., n - 1 are the rows, or their last pieces, and those behind them the other pieces.
#pragma once

#include "backends/cuda/schwarz/stream.hpp"
#include "backends/cuda/triangular/tuning.hpp"
#include "sparse/triangle.hpp"

namespace terrace::cuda::schwarz {

struct RowPiece {
  int row, number;
};

template <class Offset>
KOKKOS_INLINE_FUNCTION int pieces_of(Offset length) {
  constexpr auto most = static_cast<Offset>(BlockTuning::entries_per_piece);
  return length <= most ? 1 : static_cast<int>(parallel::divide_up(length, most));
}

template <class Offset>
struct RowItems {
  sparse::TriangleView<int, Offset> pattern;  // a strict triangle
  const RowPiece* pieces = nullptr;           // but for the last ones; rows ascend, and pieces in each
  int piece_count = 0;

  struct Item {
    int row, piece;
    Offset begin;
    int count;
    bool is_last;

    KOKKOS_FUNCTION int log2_lanes() const {
      return log2_lanes_for(static_cast<std::size_t>(count), BlockTuning::entries_per_lane);
    }
    KOKKOS_FUNCTION int depth() const {
      const int log2 = log2_lanes();
      return (count + (1 << log2) - 1) >> log2;
    }
  };

  KOKKOS_FUNCTION int count() const { return pattern.rows + piece_count; }

  KOKKOS_FUNCTION Item of(int item) const {
    constexpr int most = BlockTuning::entries_per_piece;
    const bool is_row = item < pattern.rows;
    const int row = is_row ? item : pieces[item - pattern.rows].row;
    const Offset begin = pattern.begin(row), length = pattern.end(row) - begin;
    const int piece = is_row ? pieces_of(length) - 1 : pieces[item - pattern.rows].number;
    const Offset before = static_cast<Offset>(piece) * static_cast<Offset>(most);
    return {row, piece, begin + before, is_row ? static_cast<int>(length - before) : most, is_row};
  }

  /// Pieces, but for last ones, of rows before this one: so much later than its rows the items of a block begin.
  KOKKOS_FUNCTION int pieces_before(int row) const {
    int low = 0, high = piece_count;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (pieces[middle].row < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

/// Lists the pieces of each long row, but for the last one.
template <class Offset>
struct ListPieces {
  sparse::TriangleView<int, Offset> pattern;
  RowPiece* pieces;
  KOKKOS_FUNCTION void operator()(int row, int& count, bool final) const {
    const int others = pieces_of(pattern.end(row) - pattern.begin(row)) - 1;
    if (final)
      for (int number = 0; number < others; ++number) pieces[count + number] = {row, number};
    count += others;
  }
};

}  // namespace terrace::cuda::schwarz
