// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How work is laid out over a grid of thread blocks, and what CUDA allows of a grid. Plain arithmetic: no CUDA here.
#pragma once

#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <terrace/error.hpp>

#include "parallel/index_arithmetic.hpp"

namespace terrace::cuda {

/// Thread blocks along x, and along y.
struct GridLimits {
  static constexpr std::size_t x = 0x7fffffff;
  static constexpr int y = 65535;
};

/// Rows of a triangle and pieces of its long rows, which are numbered together (triangular/slices.hpp): so many at
/// most.
inline constexpr int max_numbered = std::numeric_limits<int>::max() - 1;

/// Those that there can be: a piece's worth of entries makes two pieces at most.
inline int max_rows_and_pieces(int rows, std::size_t entries, int entries_per_piece) {
  const std::size_t most =
      static_cast<std::size_t>(rows) + 2 * (entries / static_cast<std::size_t>(entries_per_piece)) + 1;
  return static_cast<int>(std::min(most, static_cast<std::size_t>(max_numbered)));
}

/// Blocks that take `per_block` of so many units of work each.
template <class Count>
constexpr std::size_t blocks_of(Count units, std::size_t per_block) {
  return parallel::divide_up(static_cast<std::size_t>(units), per_block);
}

/// \throws Error OutOfMemory when no grid has so many blocks.
inline unsigned checked_blocks(std::size_t blocks) {
  if (blocks > GridLimits::x)
    throw Error(ErrorCode::OutOfMemory, "a kernel would need " + std::to_string(blocks) +
                                            " thread blocks, more than a grid can have (" +
                                            std::to_string(GridLimits::x) + ")");
  return static_cast<unsigned>(blocks);
}

/// Columns lie along y of a grid. Calls body(first, count) for as many neighbouring ones as a grid takes, until there
/// are no more.
template <class Body>
void for_grids_of_columns(int columns, const Body& body) {
  for (int first = 0; first < columns;) {
    const int count = std::min(columns - first, GridLimits::y);
    body(first, count);
    first += count;
  }
}

/// The row of a warp, where each row has `warps_of_row` of them, and which of these it is. Warps behind the last row
/// are given the number of rows. All warps together are more than an int counts.
struct ShareOfRow {
  int row, share;

  KOKKOS_INLINE_FUNCTION static constexpr ShareOfRow of_warp(std::size_t warp, int warps_of_row, int rows) {
    const std::size_t row = warp / static_cast<std::size_t>(warps_of_row),
                      share = warp % static_cast<std::size_t>(warps_of_row);
    return {row < static_cast<std::size_t>(rows) ? static_cast<int>(row) : rows, static_cast<int>(share)};
  }
};

}  // namespace terrace::cuda
