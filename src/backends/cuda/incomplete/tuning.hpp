// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that measurements chose (perf_tests, one NVIDIA H200; docs/performance.md, "CUDA").
#pragma once

#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda {

struct EliminationTuning {
  static constexpr int block = 128;

  /// Entries of a row for each of the lanes that share it, at most; and the room that there is in shared memory.
  static constexpr int entries_per_lane = 4, room_per_lane = 8;

  /// The most memory for knowing beforehand where products fall, in bytes for each entry of the factor.
  static constexpr std::size_t table_bytes_per_entry = 48;

  /// Places that each of the lanes that share a row looks up beforehand, on average.
  static constexpr std::size_t places_per_lane = 16;

  /// Entries of a row of U that a lane loads, and waits for, at once.
  static constexpr int entries_at_once = 2;

  /// Steps that are looked at together.
  static constexpr int steps_at_once = 4;

  /// Warps that work, and wait, at once, as a multiple of the slices of an average level.
  static constexpr int warps_per_slice = 16;
};

}  // namespace terrace::cuda
