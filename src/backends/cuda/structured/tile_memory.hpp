// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much shared memory a tile of a sweep takes. The kernels are straight-line code for it, so a build decides by the
// GPUs that it is compiled for, and the host asks whether the GPU at hand has as much.
#pragma once

#include "backends/cuda/architecture.hpp"
#include "backends/cuda/structured/tiles.hpp"

namespace terrace::cuda::grid {

struct TileMemory {
  /// Bytes for rows in flight, of a tile alone on its multiprocessor and of one that shares it. Chosen by
  /// terrace_grid_perf on an H200; elsewhere as many as fit beside the rest.
  struct Budget {
    int shared_kilobytes;  // of a block, at least
    int alone, together;
  };
  static constexpr Budget budgets[] = {{227, 160, 64}, {160, 96, 64}, {0, 40, 32}};

  static constexpr Budget budget() {
    for (const Budget& budget : budgets)
      if (CompiledFor::shared_kilobytes() >= budget.shared_kilobytes) return budget;
    return {};
  }
  template <class Tile>
  static constexpr int bytes_of_rows() {
    return (Tile::together == 1 ? budget().alone : budget().together) << 10;
  }

  /// What no kernel of the tile exceeds (SweepRole): rows in flight, those that leave, edges. Two chunks, the fewest
  /// that there can be, may need more than the budget.
  template <class Tile>
  static constexpr int max_bytes() {
    const int fewest = Tile::cells >= 8 ? 120 : Tile::together == 1 ? 96 : 0;
    return std::min(std::max(fewest, bytes_of_rows<Tile>() / 1024 * 5 / 4 + 18), 227) << 10;
  }
};

}  // namespace terrace::cuda::grid
