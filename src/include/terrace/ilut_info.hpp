// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a factorization by thresholds found and kept.
#pragma once

#include <terrace/ilu_info.hpp>

namespace terrace {

/// Of IlutFactor, for the values that it saw last. Rows are counted from 0. What IluInfo says holds here too: which
/// pivots were bad, and whether the factor can be applied.
struct IlutInfo : IluInfo {
  std::int64_t rows = 0;             ///< of the matrix
  std::int64_t matrix_entries = 0;   ///< that are stored in A
  std::int64_t factor_entries = 0;   ///< of L and U in their one merged pattern
  std::int64_t dropped_entries = 0;  ///< that were not zero; of L L^T and L L^H in one of the two triangles
  std::optional<std::int64_t> first_inserted_diagonal;  ///< the row, with insert_missing_diagonal
  /// How many rows can be under way at the same time; 1 where a thread of the host was faster than the GPU.
  int workers = 0;
};

}  // namespace terrace
