// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The triangle as the GPU engine stores it: rows in level order, in slices of one warp each.
//
// Positions. Rows are sorted by level, within a level by how many lanes share a row, and numbered by "position". The
// entries name positions, and the unknowns of a solve live in an array by position, so rows of a level read and
// write neighbouring memory.
//
// Slices. A slice is up to 32 consecutive positions of the same level whose rows are shared by the same number of
// lanes, 32 in all: rows x lanes <= 32. Entry k of a row belongs to lane k mod lanes, as the lane's (k / lanes)-th.
// Slot (step, lane) of a slice lies at start + step x rows x lanes + lane, so every step is one coalesced access. Rows
// shorter than the slice's depth are filled up with `no_column`.
//
// Long rows. A row of more than `entries_per_piece` entries is cut into pieces: rows of their own whose unknown is
// minus the sum of a_ij x_j over the piece, on the level of the row but before it, and the row itself takes these
// unknowns with coefficient minus one. A hub of a million entries thus becomes a thousand warps' work.
//
// Sliced ELLPACK by levels: Naumov (NVR-2011-001, section 3) for the order; the storage after Monakov, Lokhmotov,
// Avetisyan, HiPEAC 2010.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/arrays.hpp"
#include "parallel/index_arithmetic.hpp"
#include "sparse/triangle.hpp"

namespace terrace::cuda::triangular {

inline constexpr int no_column = -1;

struct alignas(16) Slice {
  std::int64_t start;  // its first slot
  int first;           // the position of its first row
  unsigned shape;

  static constexpr unsigned deepest = (1u << 24) - 1;
  KOKKOS_FUNCTION static unsigned pack(int rows, int log2_lanes, int depth) {
    return static_cast<unsigned>(rows - 1) | static_cast<unsigned>(log2_lanes) << 5 | static_cast<unsigned>(depth) << 8;
  }
  KOKKOS_FUNCTION int rows() const { return static_cast<int>(shape & 31u) + 1; }
  KOKKOS_FUNCTION int log2_lanes() const { return static_cast<int>(shape >> 5 & 7u); }
  KOKKOS_FUNCTION int depth() const { return static_cast<int>(shape >> 8); }
  KOKKOS_FUNCTION int width() const { return rows() << log2_lanes(); }
};

/// Consecutive slices that one thread block walks, and their positions.
struct RowBlock {
  unsigned first_slice, end_slice;
  int first_position, end_position;
};

/// A row that was cut: its pieces are the items n + first_piece, ..., in the order of its entries.
struct LongRow {
  int row;
  int first_piece;
};

/// Pieces that a row of so many entries is cut into; none when it is not long.
template <class Offset>
KOKKOS_INLINE_FUNCTION int pieces_of(Offset length, int entries_per_piece) {
  const auto most = static_cast<Offset>(entries_per_piece);
  return length <= most ? 0 : static_cast<int>(parallel::divide_up(length, most));
}

/// Which item stands at a position: row `item` of the matrix when item < rows, else a piece.
template <class Offset>
struct Items {
  sparse::TriangleView<int, Offset> pattern;
  const LongRow* long_rows;  // ascending in both members
  int long_row_count;
  int entries_per_piece;
  bool backward;

  /// The entries of an item, those that are known first at the front: the columns fall where rows are solved backward.
  struct Entries {
    Offset begin;
    int count;
    bool are_pieces;  // the entry at a place is the item of that number, with coefficient minus one
    bool backward;

    KOKKOS_FUNCTION Offset place(int k) const { return begin + static_cast<Offset>(backward ? count - 1 - k : k); }
  };

  KOKKOS_FUNCTION bool is_piece(int item) const { return item >= pattern.rows; }

  KOKKOS_FUNCTION Entries of(int item) const {
    if (is_piece(item)) return of_piece(item - pattern.rows);
    const Offset begin = pattern.begin(item), length = pattern.end(item) - begin;
    const int pieces = pieces_of(length, entries_per_piece);
    if (pieces == 0) return {begin, static_cast<int>(length), false, backward};
    const LongRow& cut = long_rows[last_at_most(item, &LongRow::row)];
    return {static_cast<Offset>(pattern.rows + cut.first_piece), pieces, true, backward};
  }

  KOKKOS_FUNCTION int row_of_piece(int item) const {
    return long_rows[last_at_most(item - pattern.rows, &LongRow::first_piece)].row;
  }

 private:
  KOKKOS_FUNCTION Entries of_piece(int piece) const {
    const LongRow& cut = long_rows[last_at_most(piece, &LongRow::first_piece)];
    const Offset begin = pattern.begin(cut.row) + static_cast<Offset>(piece - cut.first_piece) * entries_per_piece;
    const Offset left = pattern.end(cut.row) - begin;
    return {begin, static_cast<int>(left < static_cast<Offset>(entries_per_piece) ? left : entries_per_piece), false,
            backward};
  }

  KOKKOS_FUNCTION int last_at_most(int wanted, int LongRow::*member) const {
    int low = 0, high = long_row_count;
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      if (long_rows[middle].*member <= wanted) low = middle;
      else high = middle;
    }
    return low;
  }
};

/// The owner's side of the structure, and its copies: they share the memory, which nobody writes again. The entries
/// are held apart.
template <class Offset>
struct SlicedRows {
  int rows = 0;
  int positions = 0;  // rows and pieces
  std::int64_t entries = 0;
  std::int64_t slots = 0;
  int slice_count = 0;
  int levels = 0;
  int entries_per_piece = 0;
  bool backward = false;
  // Steps: levels, and before a level with long rows their pieces. The first slice and position of each, and the end.
  // None where there are row blocks.
  std::vector<int> first_slice;
  std::vector<int> first_position;
  int widest_level = 0;
  // Row blocks, where the order is by row block before it is by level.
  std::vector<RowBlock> row_blocks;
  RowBlock* row_blocks_on_device = nullptr;
  std::shared_ptr<Arrays> memory;
  Slice* slices = nullptr;
  int* items = nullptr;  // by position
  std::shared_ptr<Arrays> memory_of_long_rows;
  LongRow* long_rows = nullptr;
  int long_row_count = 0;

  int max_positions_of_row_block() const {
    int most = 0;
    for (const RowBlock& row_block : row_blocks)
      most = std::max(most, row_block.end_position - row_block.first_position);
    return most;
  }

  Items<Offset> items_of(const sparse::TriangleView<int, Offset>& pattern) const {
    return {pattern, long_rows, long_row_count, entries_per_piece, backward};
  }
  std::size_t bytes_held() const {
    return memory->bytes_held() + (memory_of_long_rows ? memory_of_long_rows->bytes_held() : 0);
  }
};

}  // namespace terrace::cuda::triangular
