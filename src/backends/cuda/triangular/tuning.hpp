// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that measurements chose (perf_tests, one NVIDIA H200; docs/results/).
#pragma once

#include "backends/cuda/analysis/tuning.hpp"

namespace terrace::cuda::triangular {

struct SliceTuning {
  /// Entries that a lane loads, and waits for, at once.
  static constexpr int entries_at_once = 4;

  /// Rows with more entries are cut into pieces of so many. A lane of many columns walks a piece alone.
  static constexpr int entries_per_piece = 1024, entries_per_piece_of_many_columns = 256;

  /// How many lanes share a row: so many that each has about entries_at_once entries, twice as many in longer rows.
  KOKKOS_FUNCTION static int log2_lanes(int entries) {
    const int per_lane = entries <= 2 * entries_at_once ? entries_at_once : 2 * entries_at_once;
    return log2_lanes_for(static_cast<std::size_t>(entries), static_cast<std::size_t>(per_lane));
  }

  /// A level of more slices than this is claimed several slices at a time.
  static constexpr int claims_per_level = 2000;
  static constexpr int max_slices_per_claim = 8;

  /// Threads of a block of the kernel that spans the device.
  static constexpr int block = 128;

  /// Warps that work, and wait, at once, as a multiple of the slices of an average level: of slices with one row, and
  /// with 32.
  static constexpr double warps_per_slice_of_one = 8.0;
  static constexpr double warps_per_slice_of_32 = 32.0;
};

/// Rows that are put in order by counting (count_keys.hpp).
struct CountTuning {
  static constexpr int block = 512, most_shares = 132;

  /// Places of a run, powers of two, and counts that blocks add up in a few microseconds.
  static constexpr int fewest_places = 128, most_places = 2048, most_counts = 1 << 15;

  /// Rows up to which one block is faster than several that wait for each other.
  static constexpr int rows_of_one_block = 2048;

  /// Levels up to which what row blocks would cost is counted before the number of levels is known.
  static constexpr int most_levels = 64;
};

/// Blocks that each walk a chain of levels, or a row block, by themselves.
struct RowBlockTuning {
  /// Threads; fewer where what belongs to an entry takes so many registers that they would be spilled.
  template <class System>
  static constexpr int block = sizeof(typename System::Entry) <= 8 ? 512 : 384;

  /// Unknowns that a block keeps in shared memory: complex numbers of double precision fill that of a multiprocessor.
  /// On other devices it may have capacity for fewer, beside a zero and a number of the block's.
  static constexpr int max_unknowns = 14000;
  static constexpr int capacity(int bytes_of_shared_memory) {
    const int fitting = bytes_of_shared_memory / 16 - 2;
    return fitting < max_unknowns ? fitting : max_unknowns;
  }

  /// Fewer levels, or rows, leave too little to gain for a count of what row blocks would cost.
  static constexpr int fewest_levels = 6, fewest_rows = 4000;

  /// Row blocks: no more than any device of this kind has multiprocessors, a power of two; and how many numbers of
  /// lanes are counted at most.
  static constexpr int max_row_blocks = 128;
  static constexpr std::int64_t max_counts = 1 << 20;
};

/// Several right-hand sides in one walk.
struct ManyColumnsTuning {
  static constexpr int block = 128;

  /// Counters that warps are claimed from. Each block has a warp, or as many, for every one.
  static constexpr unsigned counters = 4;
  static_assert(block / 32 % counters == 0);

  /// From how many on a walk beats solving one after the other: rows of twelve entries on average, and others.
  static constexpr int fewest = 3, fewest_of_short_rows = 4;
  static constexpr std::size_t entries_of_row = 12;

  /// Right-hand sides of a walk, zeros among them: the fewest of 4, 8, 16, 32 that hold so many.
  static constexpr int most = 32;
  static constexpr int width(int right_hand_sides) {
    return right_hand_sides <= 4 ? 4 : right_hand_sides <= 8 ? 8 : right_hand_sides <= 16 ? 16 : most;
  }

  /// Whether so few of them are solved in a walk that was prepared for more: what it costs goes with its width.
  static constexpr bool pays(int columns, int width) { return columns >= fewest && 4 * columns >= width; }

  /// Where a few levels are all that there is, a walk of so many is slower than pairs of a real system, whose levels
  /// have kernels of their own.
  static constexpr int levels_of_pairs = 4, width_of_pairs = 8;
  static constexpr bool loses_to_pairs(int width, int levels) {
    return width <= width_of_pairs && levels <= levels_of_pairs;
  }

  /// Entries that are waited for at once.
  static constexpr int entries_at_once = 8;

  /// Warps that work, and wait, at once, as a multiple of those of an average level.
  static constexpr int warps_per_warp_of_level = 16;

  /// Lanes of an average level, with one part for each row, from which all have work; and lanes of rows (SliceTuning)
  /// that have several parts even then.
  static constexpr int lanes_of_wide_level = 1 << 14, log2_lanes_of_long_row = 4;

  /// Levels and right-hand sides of a walk, at most, where a warp finds its rows side by side in the caller's vectors,
  /// which are read and written where they are then; elsewhere each row would touch sectors of its own.
  static constexpr int levels_without_staging = 4, width_without_staging = 16;

  /// Warps of an average level from which the counter, which serves a claim in a nanosecond or two, is what takes
  /// longest; and how many are claimed at a time then. Elsewhere those of a claim would wait for each other.
  static constexpr int wide_level = 100000, warps_per_claim = 8;
};

/// Tiles of triangles that are dense, or locally so (tile_layout.hpp).
struct TileTuning {
  static constexpr int rows = 64;
  static constexpr int threads = 256;

  /// Stored entries, as a part of all that the triangle could hold, from which all of it is in tiles.
  static constexpr double least_density = 0.5;

  /// The same, from which there is no tile without entries that is worth looking for.
  static constexpr double density_of_all_tiles = 0.9;

  /// Neighbouring columns of a run, and rows of a block, on average, from which tiles are thought of.
  static constexpr int entries_of_run = 16;
  static constexpr int rows_of_block = 24;

  /// Right-hand sides, at most: more are solved by rows, in one walk.
  static constexpr int most_right_hand_sides = 11;

  /// Numbers of the tiles for each entry, at most.
  static constexpr double numbers_of_entry = 3;

  /// The model, and the part of the time without tiles that is left with them at most.
  static constexpr double block_us = 2.0, row_us = 0.2, bytes_per_us = 3.5e6, least_gain = 0.5;
};

struct LevelKernelTuning {
  static constexpr int block = 256;
};

/// What choose_kinds believes of the machine: microseconds, and bytes in a microsecond.
struct ScheduleTuning {
  // In one block: unknowns from a level to the next, and a slice, whatever it waits for.
  static constexpr double block_trip = 0.2;
  static constexpr double block_slice = 0.12;
  static constexpr double border = 0.3;           // a row block waits so long for the one before it
  static constexpr double row_block_start = 1.5;  // less than a walk through L2: no crowd fetches at once

  static constexpr double device_trip = 0.45;
  static constexpr double device_rate = 1.2e6;
  static constexpr double level_rate = 2.5e6;
  static constexpr double kernel = 3.0;
  static constexpr double walk_start = 8.0;  // rail_79841_K: seven levels in 14, not 6
};

}  // namespace terrace::cuda::triangular
