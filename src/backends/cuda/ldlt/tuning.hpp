// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that measurements chose (one NVIDIA H200, terrace_perf_direct).
#pragma once

#include <cstddef>

namespace terrace::cuda::ldlt {

struct FrontTuning {
  /// Columns of a front in device memory that are eliminated together, and that are before its contribution block is
  /// touched. Diagonal blocks of `outer` columns are inverted for the solves.
  static constexpr int inner = 64, outer = 256;

  /// Rows of the largest front that one thread block has in its shared memory, of any numbers, and of those of a size.
  static constexpr int most_rows = 128;
  static constexpr int shared_rows(std::size_t scalar_bytes) { return scalar_bytes <= 8 ? most_rows : 112; }

  /// Classes of such fronts, those of at most so many rows, in a factorization.
  struct FactorClasses {
    static constexpr int count = 4;
    static constexpr int rows[count] = {16, 32, 64, 1 << 30};
    static constexpr int threads[count] = {32, 64, 128, 256};
  };

  /// In a solve one right-hand side has a thread for each row, or two; of several a block has the vectors, or some of
  /// them, in at most so many bytes of shared memory, and at least a warp for each 16 rows. Fronts of the first two
  /// classes come by the thousand: their blocks have registers for so many on a multiprocessor, for half as many in
  /// complex<double>.
  struct SolveClasses {
    static constexpr int count = 4;
    static constexpr int rows[count] = {16, 32, 64, most_rows};
    static constexpr int threads[count] = {32, 32, 128, 256};
    static constexpr int blocks[count] = {32, 32, 4, 2};
    static constexpr int threads_of_columns[count] = {64, 128, 256, 256};
    static constexpr int blocks_of_columns[count] = {10, 5, 2, 2};
  };
  static constexpr std::size_t bytes_of_columns = 100 << 10;
  /// Fewer of a class go with the next larger one: a launch costs more than idle threads.
  static constexpr int fewest_of_class = 256;

  /// Right-hand sides that are solved with at once: at most, and where memory is short; and so few that large fronts
  /// are solved with them one by one.
  static constexpr int columns = 64, fewest_columns = 16, few_columns = 4;
  static constexpr double vectors_of_panels = 0.4;           ///< numbers of vectors for each of panels
  static constexpr std::size_t bytes_of_vectors = 96 << 20;  ///< that never count as too many
  /// Fewer tiles of large fronts than so many for each multiprocessor are narrow ones.
  static constexpr std::size_t narrow_tiles = 1;
};

}  // namespace terrace::cuda::ldlt
