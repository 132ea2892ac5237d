// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shape of a warp's tile: lanes_u x lanes_v lanes across the grid, each with a block of block_u x block_v x block_m
// cells per step (skewed_grid.hpp).
#pragma once

#include "backends/cuda/watch.hpp"

namespace terrace::cuda::grid {

constexpr int power_of_two(int least) {
  int power = 1;
  while (power < least) power *= 2;
  return power;
}

template <int LanesU, int LanesV, int BlockU, int BlockV, int BlockM, int Chunk, int Handoff, int Together>
struct Tile {
  static_assert(LanesU * LanesV == warp_size && Chunk % Handoff == 0);
  static constexpr int lanes_u = LanesU, lanes_v = LanesV;
  static constexpr int block_u = BlockU, block_v = BlockV, block_m = BlockM;
  // Steps whose rows a warp waits for at once, and whose edges; the storage depends on neither.
  static constexpr int chunk = Chunk, handoff = Handoff;
  static constexpr int together = Together;  // tiles that shall share a multiprocessor
  template <int Others>
  using sharing = Tile<LanesU, LanesV, BlockU, BlockV, BlockM, Chunk, Handoff, Others>;  // in the same storage
  static constexpr int cells = BlockU * BlockV * BlockM;                                 // of a lane in a step
  static constexpr int row = warp_size * cells;
  static constexpr int size_u = LanesU * BlockU, size_v = LanesV * BlockV;
  static constexpr int dims = size_v > 1 ? 3 : 2;
  static constexpr int skew = LanesU + LanesV - 2;
  static constexpr int edge_u = size_v * BlockM, edge_v = dims == 3 ? size_u * BlockM : 0;
  static constexpr int edge = power_of_two(edge_u + edge_v);  // values that a tile hands on per step, and padding

  /// Warps that bring a vector from the caller's storage and back during a sweep. Small blocks step too fast for them;
  /// there, kernels of their own do it (pack.hpp).
  static constexpr int transfers = cells >= 8 ? BlockV : 0;

  /// Numbers that lie together in a row: 16 bytes, or fewer if a block is smaller.
  template <class Real>
  static constexpr int vector = cells < 16 / static_cast<int>(sizeof(Real)) ? cells
                                                                            : 16 / static_cast<int>(sizeof(Real));

  /// Where cell c of a lane is in its row.
  template <class Real>
  KOKKOS_FUNCTION static constexpr int slot(int lane, int c) {
    return (c / vector<Real>)*(warp_size * vector<Real>)+lane * vector<Real> + c % vector<Real>;
  }

  /// The cells of a block that its neighbours in u (entry v + block_v * m) and in v (entry u + block_u * m) use.
  static constexpr int across_u = BlockV * BlockM, across_v = BlockU * BlockM;
  KOKKOS_FUNCTION static constexpr int far_u(int e) { return BlockU - 1 + BlockU * e; }
  KOKKOS_FUNCTION static constexpr int far_v(int e) {
    return e % BlockU + BlockU * (BlockV - 1 + BlockV * (e / BlockU));
  }
};

// A chain of tiles costs 1 to 2 us per hop besides its steps, a step some 45 ns with two cells per lane and 150 to 180
// ns with eight: large tiles where both extents across are large, small ones where they would be padding. A hop waits
// for a handoff, so short ones shorten the chain, until waits cost more. Alone on its multiprocessor a tile has the
// registers and the rows in flight that make it fastest; where there are very many, two together hide more.
// Chosen by terrace_grid_perf on an H200; docs/adr/0011-tiles-on-a-gpu.md has what lost.
using StripTile = Tile<32, 1, 2, 1, 1, 16, 8, 1>;   // 2-D: 64 columns
using SmallTile = Tile<8, 4, 1, 2, 1, 4, 4, 2>;     // 8 x 8 columns, for thin grids
using LargeTile = Tile<8, 4, 2, 4, 1, 4, 2, 2>;     // 16 x 16 columns
using LargeTileFew = Tile<8, 4, 2, 4, 1, 4, 4, 1>;  // the same, when there are few

}  // namespace terrace::cuda::grid
