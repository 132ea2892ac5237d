// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of factorizations by thresholds on NVIDIA GPUs (perf_tests, docs/lab/incomplete.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrace::cuda::threshold {

struct ThresholdTuning {
  static constexpr int block = 128;

  /// Blocks on a multiprocessor that the registers of the kernel leave capacity for.
  static constexpr int blocks = 5;

  /// Entries that a working row in shared memory has capacity for, as powers of two: where more warps are wanted, and
  /// where so few rows need no more, or an average row of A and `rows_of_fill` rows of U would not fit.
  static constexpr int log2_short = 8, log2_long = 9, few_rows = 50000, rows_of_fill = 4;

  /// A working row in device memory: at first, and how much longer when that was too short, as powers of two.
  static constexpr int log2_in_device_memory = 11, log2_growth = 2;

  /// Rows for which a warp takes capacity in the store of finished rows at once.
  static constexpr std::size_t rows_per_claim_of_store = 8;

  /// From so many rows on for each warp that a device could hold, rows are claimed by levels, unless they come in
  /// blocks that do not touch, one for so many of those warps; else in ascending order, or in that of the blocks.
  static constexpr std::int64_t rows_of_warp_for_levels = 5, warps_of_block_for_levels = 4;

  /// Rows from so many entries on have their norms found by a block of so many threads.
  static constexpr int long_norm = 256, norm_threads = 256;

  /// Of the next steps of a long row, so many whose rows are not at hand are looked for anew.
  static constexpr int steps_to_find_anew = 4;

  /// Steps that may be lost with rows that are begun anew, for each entry of A; then rows are claimed in ascending
  /// order.
  static constexpr std::int64_t lost_steps_per_entry = 16;

  /// What a thread of a host takes for an entry of A where nothing fills in, in seconds; it begins when a part of what
  /// it would take has passed, and looks at the device after portions of its work that take about so long.
  static constexpr double seconds_of_host_per_entry = 10e-9;
  static constexpr int part_before_host = 4;
  static constexpr double shortest_portion = 30e-6, longest_portion = 120e-6;

  /// Entries of A that come to the host at a time; and when a device has finished so many times the rows of the host,
  /// the host leaves it alone.
  static constexpr std::size_t entries_of_piece = 64 << 10;
  static constexpr unsigned times_ahead = 2;

  /// Rows that a warp is handed by those before them between two looks at whether all shall stop.
  static constexpr int rows_between_looks = 16;

  /// Looks at a row that is waited for between two looks at whether somebody works on it, and what a warp sleeps
  /// between two of them, in ns.
  static constexpr int looks_at_row = 16;
  static constexpr unsigned pause_of_look = 40;

  /// What a warp without a row sleeps before it looks again, in ns; and how often it looks for a row before it looks
  /// whether all are finished.
  static constexpr unsigned pause = 100;
  static constexpr int looks_at_queue = 16;
};

}  // namespace terrace::cuda::threshold
