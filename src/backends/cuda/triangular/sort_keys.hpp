// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of slices: what rows, and pieces of long rows, are sorted by; and what of that the host has to know.
#pragma once

#include "backends/cuda/lanes.hpp"
#include "backends/cuda/triangular/choose_row_blocks.hpp"
#include "backends/cuda/triangular/slices.hpp"
#include "backends/cuda/triangular/tuning.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda::triangular {

// The sort key: row block first, where there are several, and level, then long rows before short ones, so that what
// takes longest starts first. Pieces of long rows lead their level, because the rows they belong to wait for them.
inline constexpr int classes_per_level = 8;
inline constexpr int class_of_pieces = 0;
KOKKOS_INLINE_FUNCTION constexpr int class_of(int log2_lanes) { return 6 - log2_lanes; }

/// In place of a number of entries of whole rows for each lane: what suits triangular solves.
inline constexpr int tuned_lanes = 0;

template <class Offset>
struct SortKeys {
  Items<Offset> items;
  const int* level;  // of each row
  int per_lane;
  RowBlocks row_blocks;
  int levels;
  unsigned* keys;
  int* values;
  int count;

  /// Within a level items stay in the order in which a sequential solve would come to them.
  KOKKOS_FUNCTION void operator()(int place) const {
    const int item = item_at(place), row = items.is_piece(item) ? items.row_of_piece(item) : item;
    keys[place] = static_cast<unsigned>(row_blocks.of(row) * levels) * classes_per_level + key_of_level(item);
    values[place] = item;
  }

  KOKKOS_FUNCTION int item_at(int place) const { return items.backward ? count - 1 - place : place; }

  /// Within a row block.
  KOKKOS_FUNCTION unsigned key_of_level(int item) const {
    const bool is_piece = items.is_piece(item);
    const int row = is_piece ? items.row_of_piece(item) : item;
    const int kind = is_piece ? class_of_pieces : class_of(log2_lanes(item));
    return static_cast<unsigned>(level[row]) * classes_per_level + static_cast<unsigned>(kind);
  }

  KOKKOS_FUNCTION unsigned lanes(int item) const { return items.is_piece(item) ? 32u : 1u << log2_lanes(item); }

  KOKKOS_FUNCTION int log2_lanes(int item) const {
    if (per_lane == tuned_lanes) return SliceTuning::log2_lanes(items.of(item).count);
    const Offset length = items.pattern.row_map[item + 1] - items.pattern.row_map[item];
    return log2_lanes_for(static_cast<std::size_t>(length), static_cast<std::size_t>(per_lane));
  }
};

inline KOKKOS_FUNCTION int log2_lanes_of_key(unsigned key) {
  const int kind = static_cast<int>(key % classes_per_level);
  return kind == class_of_pieces ? 5 : 6 - kind;
}

/// What the levels and the long rows come to; zero before.
struct Summary {
  int deepest, long_rows, pieces;
  unsigned classes;                   // a bit for each number of lanes that rows take, and for pieces
  unsigned long long entries, lanes;  // of rows and pieces
};

/// The long rows with the numbers of their pieces: a scan over (long rows, pieces), packed into one number.
template <class Offset>
struct ListLongRows {
  sparse::TriangleView<int, Offset> pattern;
  int entries_per_piece;
  LongRow* long_rows;
  KOKKOS_FUNCTION void operator()(int row, std::uint64_t& sum, bool final) const {
    const int cut_into = pieces_of(pattern.end(row) - pattern.begin(row), entries_per_piece);
    if (cut_into == 0) return;
    if (final) long_rows[sum >> 32] = {row, static_cast<int>(sum & 0xffffffffu)};
    sum += (std::uint64_t(1) << 32) + static_cast<std::uint64_t>(cut_into);
  }
};

}  // namespace terrace::cuda::triangular
