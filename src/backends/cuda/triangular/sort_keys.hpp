// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of slices: what rows, and pieces of long rows, are sorted by; and what of that the host has to know.
#pragma once

#include "backends/cuda/lanes.hpp"
#include "backends/cuda/triangular/choose_row_blocks.hpp"
#include "backends/cuda/triangular/slices.hpp"
#include "backends/cuda/triangular/tuning.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

// The sort key: row block first, where there are several, and level, then long rows before short ones, so that what
// takes longest starts first. Pieces of long rows lead their level, because the rows they belong to wait for them.
inline constexpr int classes_per_level = 8;
inline constexpr int class_of_pieces = 0;

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
    const int item = items.backward ? count - 1 - place : place;
    const bool is_piece = items.is_piece(item);
    const int row = is_piece ? items.row_of_piece(item) : item;
    const int kind = is_piece ? class_of_pieces : 6 - log2_lanes(item);
    keys[place] = static_cast<unsigned>(row_blocks.of(row) * levels + level[row]) * classes_per_level +
                  static_cast<unsigned>(kind);
    values[place] = item;
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
  unsigned classes;  // a bit for each number of lanes that rows take, and for pieces
  unsigned long long entries;
};

template <class Offset>
struct Summarize {
  sparse::TriangleView<int, Offset> pattern;
  const int* level;
  int entries_per_piece;
  Summary* summary;
};

/// Each warp adds what it found.
template <class Offset>
__global__ void summarize_kernel(Summarize<Offset> of) {
  Summary found{0, 0, 0, 0u, 0u};
  const unsigned threads = gridDim.x * blockDim.x;
  for (unsigned place = blockIdx.x * blockDim.x + threadIdx.x; place < static_cast<unsigned>(of.pattern.rows);
       place += threads) {
    const auto row = static_cast<int>(place);
    found.deepest = max(found.deepest, of.level[row]);
    const Offset length = of.pattern.end(row) - of.pattern.begin(row);
    const int cut_into = pieces_of(length, of.entries_per_piece);
    found.classes |= 1u << SliceTuning::log2_lanes(cut_into > 0 ? cut_into : static_cast<int>(length));
    found.entries += static_cast<unsigned long long>(length);
    found.long_rows += cut_into > 0 ? 1 : 0;
    found.pieces += cut_into;
  }
  found.deepest = __reduce_max_sync(all_lanes, found.deepest);
  found.long_rows = __reduce_add_sync(all_lanes, found.long_rows);
  found.pieces = __reduce_add_sync(all_lanes, found.pieces);
  found.classes = __reduce_or_sync(all_lanes, found.classes | (found.pieces > 0 ? 1u << 6 : 0u));
  found.entries = sum_over_lanes<5>(found.entries);
  if (threadIdx.x % warp_size != 0) return;
  atomicAdd(&of.summary->entries, found.entries);
  atomicMax(&of.summary->deepest, found.deepest);
  atomicOr(&of.summary->classes, found.classes);
  if (found.pieces == 0) return;
  atomicAdd(&of.summary->long_rows, found.long_rows);
  atomicAdd(&of.summary->pieces, found.pieces);
}

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

}  // namespace terrace::cuda
