// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// row blocks: whether a triangle is better solved by thread blocks that each keep the unknowns of consecutive rows
// in shared memory (solve_row_blocks.hpp), and by how many.
//
// A path of dependencies only ever leads from a row block to a later one, so it crosses fewer borders than there are
// row blocks, however many levels it has; all other steps of it pass through shared memory. What row blocks cost is
// that a block takes the rows of a level that lie in its row block by itself: a level all of whose rows lie in one row
// block is one block's work. So what counts is, for each level, the largest share that any row block has of it. The
// lanes of each level in each of the smallest row blocks are counted, and for every number of row blocks that are
// unions of them the largest shares are added up.
//
// Here is the choice; count_row_blocks.hpp counts.
#pragma once

#include <Kokkos_MinMax.hpp>
#include <algorithm>
#include <cstdint>

#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda::triangular {

/// Equal numbers of rows that follow each other in the order of the solve.
struct RowBlocks {
  int count = 1;
  int rows_per_row_block = 0;
  int rows = 0;
  bool backward = false;

  KOKKOS_FUNCTION int of(int row) const {
    return count == 1 ? 0 : (backward ? rows - 1 - row : row) / rows_per_row_block;
  }
};

/// Nanoseconds of one solve: with the smallest row blocks and unions of 2, 4, ... of them, and without.
struct RowBlockCosts {
  static constexpr int max_unions = 8;
  static_assert(RowBlockTuning::max_row_blocks == 1 << (max_unions - 1));
  unsigned long long with_row_blocks[max_unions];
  unsigned long long without;
  unsigned widest_level;  // in rows
};

/// The smallest row blocks that are looked at: as many as the device has blocks for, unless that makes the count too
/// long. One where there cannot be several. A row block has capacity for so many rows.
inline RowBlocks smallest_row_blocks(int rows, int capacity, int levels, bool backward) {
  RowBlocks row_blocks{1, rows, rows, backward};
  const int most =
      static_cast<int>(std::min<std::int64_t>(RowBlockTuning::max_row_blocks, RowBlockTuning::max_counts / levels));
  if (capacity <= 0 || levels < RowBlockTuning::fewest_levels || rows < RowBlockTuning::fewest_rows ||
      rows > std::int64_t(capacity) * most)
    return row_blocks;
  row_blocks.count = (rows + capacity - 1) / capacity;
  while (2 * row_blocks.count <= most) row_blocks.count *= 2;
  row_blocks.rows_per_row_block = (rows + row_blocks.count - 1) / row_blocks.count;
  return row_blocks;
}

/// The cheapest union of the smallest row blocks; a single one where nothing is gained.
KOKKOS_INLINE_FUNCTION RowBlocks cheapest(const RowBlocks& smallest, int capacity, int levels,
                                          const RowBlockCosts& costs) {
  RowBlocks best{1, smallest.rows, smallest.rows, smallest.backward}, row_blocks = smallest;
  double least = 1e-3 * static_cast<double>(costs.without) + ScheduleTuning::walk_start;
  for (int k = 0; k < RowBlockCosts::max_unions && row_blocks.rows_per_row_block <= capacity; ++k) {
    const int borders = Kokkos::min(row_blocks.count, levels) - 1;  // on a path
    const double cost = 1e-3 * static_cast<double>(costs.with_row_blocks[k]) + borders * ScheduleTuning::border +
                        ScheduleTuning::row_block_start;
    if (cost < least) {
      best = row_blocks;
      least = cost;
    }
    if (row_blocks.count == 1) break;
    row_blocks.count = (row_blocks.count + 1) / 2;
    row_blocks.rows_per_row_block *= 2;
  }
  return best;
}

}  // namespace terrace::cuda::triangular
