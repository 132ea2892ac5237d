// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bands of rows: whether a triangle is better solved by thread blocks that each keep the unknowns of consecutive rows
// in shared memory (solve_bands.hpp), and by how many.
//
// A path of dependencies only ever leads from a band to a later one, so it crosses fewer borders than there are bands,
// however many levels it has; all other steps of it pass through shared memory. What bands cost is that a block takes
// the rows of a level that lie in its band by itself: a level all of whose rows lie in one band is one block's work.
// So what counts is, for each level, the largest share that any band has of it. The lanes of each level in each of the
// smallest bands are counted, and for every number of bands that are unions of them the largest shares are added up.
//
// Here is the choice; count_bands.hpp counts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda {

/// Equal numbers of rows that follow each other in the order of the solve.
struct RowBands {
  int count = 1;
  int rows_per_band = 0;
  int rows = 0;
  bool backward = false;

  KOKKOS_FUNCTION int of(int row) const { return count == 1 ? 0 : (backward ? rows - 1 - row : row) / rows_per_band; }
};

/// Nanoseconds of one solve: with the smallest bands and unions of 2, 4, ... of them, and without.
struct BandCosts {
  static constexpr int most_unions = 8;
  static_assert(BandTuning::most_bands == 1 << (most_unions - 1));
  unsigned long long with_bands[most_unions];
  unsigned long long without;
  unsigned widest_level;  // in rows
};

/// The smallest bands that are looked at: as many as the device has blocks for, unless that makes the count too long.
/// One where there cannot be several. A band has room for so many rows.
inline RowBands smallest_bands(int rows, int room, int levels, bool backward) {
  RowBands bands{1, rows, rows, backward};
  const int most = static_cast<int>(std::min<std::int64_t>(BandTuning::most_bands, BandTuning::most_counts / levels));
  if (room <= 0 || levels < BandTuning::fewest_levels || rows < BandTuning::fewest_rows ||
      rows > std::int64_t(room) * most)
    return bands;
  bands.count = (rows + room - 1) / room;
  while (2 * bands.count <= most) bands.count *= 2;
  bands.rows_per_band = (rows + bands.count - 1) / bands.count;
  return bands;
}

/// The cheapest union of the smallest bands; a single one where nothing is gained.
inline RowBands cheapest(const RowBands& smallest, int room, int levels, const BandCosts& costs) {
  RowBands best{1, smallest.rows, smallest.rows, smallest.backward}, bands = smallest;
  double least = 1e-3 * static_cast<double>(costs.without) + ScheduleTuning::walk_start;
  for (int k = 0; k < BandCosts::most_unions && bands.rows_per_band <= room; ++k) {
    const int borders = std::min(bands.count, levels) - 1;  // on a path
    const double cost =
        1e-3 * static_cast<double>(costs.with_bands[k]) + borders * ScheduleTuning::border + ScheduleTuning::band_start;
    if (cost < least) {
      best = bands;
      least = cost;
    }
    if (bands.count == 1) break;
    bands.count = (bands.count + 1) / 2;
    bands.rows_per_band *= 2;
  }
  return best;
}

}  // namespace terrace::cuda
