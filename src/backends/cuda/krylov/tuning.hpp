// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that measurements chose (perf_tests, one NVIDIA H200; docs/results/), of vectors and products.
#pragma once

namespace terrace::cuda::krylov {

struct KrylovTuning {
  static constexpr int block = 256;

  /// Rows of a thread at least, where there are enough for all multiprocessors.
  static constexpr int rows_per_thread = 2;

  /// Entries of a thread in a tile of the product with A, and vectors that share a reading of the matrix.
  static constexpr int entries_per_thread = 8, vectors = 8, capacity = block * entries_per_thread;

  /// Entries that a thread has on their way in a row of its own warp or block, and of its cluster, of which there are
  /// few: for one vector; and for several.
  static constexpr int entries_of_row_at_once = 4, entries_of_very_long_row_at_once = 16;
  static constexpr int entries_of_several_at_once = 2;
};

}  // namespace terrace::cuda::krylov
