// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that measurements chose (perf_tests, one NVIDIA H200; docs/results/).
#pragma once

#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda::incomplete {

using namespace triangular;  // whose slices, claims and plans the rows of an elimination have

struct EliminationTuning {
  static constexpr int block = 128;

  /// Blocks on a multiprocessor that the registers of the kernel for lists leave capacity for.
  static constexpr int blocks_of_rows = 6, blocks_of_nodes = 4;

  /// Rows of an average node from which nodes are eliminated, and not rows.
  static constexpr double rows_of_node = 1.5;

  /// Longer rows are eliminated in device memory.
  static constexpr int longest_in_shared_memory = 1024;

  /// Capacities of warps for rows in shared memory: the first that all but one of so many rows fit in is taken, since
  /// many warps on a multiprocessor gain more than the few rows lose that lie in device memory then; and all rows have
  /// room that are no longer than `capacity_of_all`.
  static constexpr int capacities = 3, rows_for_a_long_one = 16, capacity_of_all = 256;
  KOKKOS_INLINE_FUNCTION static constexpr int capacity(int number) { return 128 << number; }

  /// Of so many rows, some far longer than the average one, those that begin long chains are claimed first.
  static constexpr int many_rows = 4096;
  static constexpr std::size_t far_longer = 8;

  /// Rows with more entries behind the diagonal are cut into what stands up to it and tails of so many entries, of
  /// which a lane looks at some together.
  static constexpr int longest_upper_of_warp = 2048, entries_of_tail = 256, entries_of_tail_at_once = 4;

  /// Rows with more steps are eliminated by inner products where they have at most so many of them for each entry, and
  /// those with far more steps whatever they have. A lane looks at some together; an entry with many is the work of the
  /// warp, of which each lane looks at some.
  static constexpr int steps_of_inner_row = 512, many_steps_of_inner_row = 2048, inner_products_of_entry = 4;
  static constexpr int inner_products_at_once = 2, inner_products_of_lane = 64, inner_products_of_warp_at_once = 4;

  /// The entries of a row left of its diagonal from which a warp that has 32 rows would be long at looking at them, and
  /// where they are few, those of the whole row from which a lane would be; and those of a row for several blocks.
  static constexpr int long_row = 128, long_row_of_pivots = 16, very_long_row = 2048;

  /// The most memory for lists of products, in bytes for each entry of the factor.
  static constexpr std::size_t list_bytes_per_entry = 80;

  /// Where rows have so many steps their lists are made by blocks of so many warps, at most.
  static constexpr int steps_of_long_list = 128, warps_of_long_list = 8;

  /// Products whose numbers are on their way when a turn ends.
  static constexpr unsigned products_ahead = 96;

  /// Turns of the same step whose numbers are looked at with those that are waited for.
  static constexpr int turns_of_wait = 2;

  /// Rows of so few entries and products on average, in levels of so many rows, are eliminated several by a warp,
  /// without lists.
  static constexpr std::size_t short_row = 12;
  static constexpr std::int64_t few_products = 24;
  static constexpr int wide_level = 2000;

  /// Where elimination changes only the diagonal, a lane takes rows of so many entries left of it if levels are wide,
  /// and looks at so many behind it; blocks look at more.
  static constexpr int longest_row_of_wide_pivots = 64, longest_upper_of_lane = 256;

  /// Where no row has more entries, a lane takes each of them, by its list of operations; that many are looked at
  /// together.
  static constexpr int longest_short_row = 48, operations_at_once = 4, entries_of_short_row_at_once = 4;

  /// Without lists: entries of a row for each of the lanes that share it, at most; entries for which the rows of a
  /// slice have capacity in shared memory; entries that a lane searches, and waits for, at once; steps looked at
  /// together.
  static constexpr int entries_per_lane = 4, slice_capacity = 256, entries_at_once = 2, steps_at_once = 4;

  /// Where so many entries left of diagonals are neighbours, on average, and an average row has so many of them, rows
  /// may be eliminated in tiles; and they are where tiles have so many rows, on average, of rows or, where there are
  /// few groups of them, of entries, and so much of their area has entries.
  static constexpr unsigned long long entries_of_run = 16, steps_of_tiled_row = 2;
  static constexpr int rows_of_tile = 12, few_groups = 4096;
  static constexpr double filled_tiles = 0.5;

  /// Warps that work, and wait, at once: for every row, or every slice, of so many levels.
  static constexpr int levels_of_rows = 64, levels_of_slices = 16;
};

}  // namespace terrace::cuda::incomplete
