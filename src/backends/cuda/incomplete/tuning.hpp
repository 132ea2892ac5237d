// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that measurements chose (perf_tests, one NVIDIA H200; docs/performance.md, "CUDA").
#pragma once

#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda {

struct EliminationTuning {
  static constexpr int block = 128;

  /// Longer rows are eliminated in device memory.
  static constexpr int longest_in_shared_memory = 1024;

  /// The most memory for lists of products, in bytes for each entry of the factor.
  static constexpr std::size_t list_bytes_per_entry = 64;

  /// Products whose numbers are on their way when a turn ends.
  static constexpr unsigned products_ahead = 96;

  /// Entries that a lane searches, and waits for, at once, where there is no list.
  static constexpr int entries_at_once = 2;

  /// Warps that work, and wait, at once, as a multiple of the rows of an average level.
  static constexpr int warps_per_row = 64;
};

}  // namespace terrace::cuda
