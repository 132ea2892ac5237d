// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that measurements chose (perf_tests, one NVIDIA H200; docs/results/), of walks over rows.
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <cstdint>

namespace terrace::cuda {

/// The fewest lanes of a warp, as a power of two, that need no more than `per_lane` entries each.
KOKKOS_INLINE_FUNCTION int log2_lanes_for(std::size_t entries, std::size_t per_lane) {
  int log2_lanes = 0;
  while (log2_lanes < 5 && (per_lane << log2_lanes) < entries) ++log2_lanes;
  return log2_lanes;
}

/// Walks of tasks of consecutive rows.
/// Rows and entries up to which several steps are taken by one kernel (ADR 41).
struct SmallMatrix {
  static constexpr int most_rows = 1 << 18;
  static constexpr std::size_t most_entries = 1 << 22;
  static constexpr bool is(int rows, std::size_t entries) { return rows <= most_rows && entries <= most_entries; }
};

struct TaskTuning {
  static constexpr int block = 128;

  /// Lanes that walk, and wait, at once.
  static constexpr int max_threads = 32768;

  /// Places that a thread looks at together when tasks are listed.
  static constexpr int places_at_once = 4;

  /// Entries of an average row for each of the lanes that share it.
  static constexpr std::size_t entries_per_lane_of_row = 4;

  /// Entries after which a task ends although its rows form a chain.
  static constexpr int entries_per_lane = 2048;

  /// Levels are found by windows where a run of rows that each need the one before has so many rows for each run, on
  /// average, and at most so many lanes share an average row, as a power of two.
  static constexpr std::int64_t rows_of_run_for_windows = 8;
  static constexpr int log2_lanes_for_windows = 4;

  /// Rows with more entries for each of the lanes that share an average one come in pieces of so many entries.
  static constexpr int longest_row_per_lane = 32, entries_per_piece = 512;

  /// Threads of a block that has a warp for pieces as well.
  static constexpr int block_with_pieces = block + 32;

  /// How far ahead the arrays are brought into L2, which no stage of the pipeline is long enough to wait for.
  static constexpr int rows_ahead = 32;
  static constexpr int entries_ahead = 64;

  /// Where tasks have so many rows on average, the next one is claimed before the last rows of a task are done.
  static constexpr int rows_of_long_task = 8;
};

}  // namespace terrace::cuda
