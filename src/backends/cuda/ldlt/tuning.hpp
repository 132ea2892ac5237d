// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that measurements chose (one NVIDIA H200, terrace_perf_direct).
#pragma once

#include <cstddef>

namespace terrace::cuda::ldlt {

struct FrontTuning {
  /// Columns that are eliminated together: in shared memory, in a front in device memory, and there before its
  /// contribution block is touched. Diagonal blocks of `outer` columns are inverted for the solves.
  static constexpr int panel = 8, inner = 64, outer = 256;

  /// Rows of the largest front that one thread block has in its shared memory. Real fronts of up to 160 rows in double
  /// precision and 224 in single would fit into the 227 KB of Hopper; as large ones they have more thread blocks.
  static constexpr int shared_rows(std::size_t scalar_bytes) { return scalar_bytes <= 8 ? 128 : 112; }

  /// Threads of such a block, for fronts of at most so many rows.
  static constexpr int classes = 4;
  static constexpr int class_rows[classes] = {32, 64, 104, 1 << 30};
  static constexpr int class_threads[classes] = {32, 64, 128, 256};
  /// The same in solves of several right-hand sides, of all or of some of which a block has the vectors in at most so
  /// many bytes of shared memory.
  static constexpr int class_threads_of_columns[classes] = {128, 256, 256, 256};
  static constexpr std::size_t bytes_of_columns = 100 << 10;
  /// Fewer of a class go with the next larger one: a launch costs more than idle threads.
  static constexpr int fewest_of_class = 256;
  /// Less than so many for each multiprocessor are few in a factorization.
  static constexpr std::size_t few_fronts = 2;

  /// Right-hand sides that are solved with at once: at most, where memory is short, and by one thread of a front in
  /// shared memory.
  static constexpr int columns = 64, fewest_columns = 8;
  static constexpr std::size_t bytes_of_vectors = 256 << 20;  ///< that never count as too many
  static constexpr int columns_of_thread = 8;
  /// Fewer tiles of large fronts than so many for each multiprocessor are narrow ones.
  static constexpr std::size_t narrow_tiles = 1;
};

}  // namespace terrace::cuda::ldlt
