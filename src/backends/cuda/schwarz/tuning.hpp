// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that measurements chose (one NVIDIA H200).
#pragma once

#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace terrace::cuda::schwarz {

struct BlockTuning {
  /// Entries of a row for each of the lanes that share it, at most. A row of more than 32 lanes take comes in pieces.
  static constexpr int entries_per_lane = 8, entries_per_piece = 32 * entries_per_lane;

  /// Slots and slices of a chunk, at most.
  static constexpr int slots_per_chunk = 512, slices_per_chunk = 32;

  /// Chunks in shared memory at once.
  static constexpr int min_buffers = 2, max_buffers = 8;

  /// Warps that walk a block, as a multiple of the slices of the step that an average slice is in; at most one less
  /// than a thread block can have, beside the one that copies.
  static constexpr double warps_per_slice = 1.5;
  static constexpr int min_warps = 2, max_warps = 31;

  static int warps(double slices_of_step) {
    const auto wanted = static_cast<unsigned>(std::max(1.0, warps_per_slice * std::min(slices_of_step, 32.0)));
    return std::clamp(static_cast<int>(std::bit_ceil(wanted)), min_warps, max_warps);
  }

  /// Registers of a thread: with 56, four blocks of eight warps and one that copies share a multiprocessor; with more
  /// than 64, no thread block has all the warps.
  static constexpr int registers(std::size_t bytes_of_cell) { return bytes_of_cell <= 16 ? 56 : 64; }

  /// Right-hand sides that a thread block solves with at once, at most: what registers suffice for.
  static constexpr int max_columns(std::size_t bytes_of_number) { return bytes_of_number <= 8 ? 4 : 2; }

  /// Fewer blocks with more rows, or more entries, leave so many multiprocessors idle that solvers of the whole are
  /// faster.
  static constexpr int fewest_blocks = 32, rows_of_few_blocks = 4096;
  static constexpr std::size_t entries_of_few_blocks = 400'000;

  /// Rows of so many entries on average, in blocks of so many rows, are solved by tiles instead.
  static constexpr std::size_t dense_row = 256;
  static constexpr int rows_of_dense_block = 512;

  /// Numbers that a thread reads, or writes, at once where vectors get into a block and out of it.
  KOKKOS_FUNCTION static constexpr int places_at_once(std::size_t bytes_of_cell) { return bytes_of_cell <= 8 ? 4 : 2; }
};

/// Threads of a block whose pivots are found: the most that leave capacity for as many thread blocks as the fewest do.
/// Not measured.
struct PivotTuning {
  static constexpr int min_threads = 256, max_threads = 1024;
};

}  // namespace terrace::cuda::schwarz
