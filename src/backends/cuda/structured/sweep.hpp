// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution with a unit triangle of a structured grid: y = x - c_u y(u-1) - c_v y(v-1) - c_m y(m-1), or mirrored.
//
// Storage: all vectors and coefficients skewed (skewed_grid.hpp); c_u, c_v and c_m lie at the cell that uses them.
//
// One thread block walks one tile, in roles that never meet at a barrier of the block:
//   the solver   (a warp) takes a step per row: neighbours in the tile by shuffles and registers, the tile's own edges
//                from slots in shared memory; it stores y and publishes its far edges, value as flag (handoff.hpp);
//   the edge loader   (a warp) looks in device memory for the edges of the tiles before, a window of steps at a time,
//   copies
//                what has come to the slots, and puts "awaited" back;
//   the row loader   (a thread) keeps the copy engine busy with the rows to come; they depend on nothing;
//   transfer warps     (warps, where the work asks for them) bring a row in from the caller's storage, or out to it.
// So a step costs the solver a shuffle and block_u + block_v + block_m - 2 dependent multiply-adds, and a hop from tile
// to tile one trip through L2, not once per step but once per tile. One warp issues in order: what bounds a step is the
// number of its instructions, so addresses are immediate offsets and masks are kept to the head and tail of a tile.
//
// Which warps wait for which, a chunk of steps at a time: the solver for the row loader and the transfer warps (rows,
// capacity) and the edge loader (edges); all for the solver (capacity, rows that leave); the edge loader for the
// solvers of the tile before in u and of that before in v. Tiles are claimed from a counter in an order where those
// come first, so the smallest unfinished tile waits for nothing, even if one block at a time is resident. Several
// right-hand sides are several sets of tiles, one after the other in that order. No thread waits in a loop for another
// thread of its own warp.
//
// Cost: steps = nm / block_m + lanes, critical path about nm / block_m + nu / block_u + nv / block_v steps, every
// stream read once; edge buffers of (nm / block_m + lanes) * edge values per tile. Deterministic, sums included.
//
// After: J. Gao et al., J. Parallel Distrib. Comput. 74 (2014), for the wavefronts; values as flags: W. Liu et al.,
// Euro-Par 2016.
#pragma once

#include "backends/cuda/structured/sweep_edge_loader.hpp"
#include "backends/cuda/structured/sweep_row_loader.hpp"
#include "backends/cuda/structured/sweep_solver.hpp"
#include "backends/cuda/structured/sweep_transfer.hpp"

namespace terrace::cuda::grid {

/// 0 leaves the registers to the compiler, which in 3-D gave the faster sweeps where there are no transfer warps
/// (terrace_grid_perf).
template <class Tile, class Role>
constexpr int resident_tiles = Role::transfers > 0 || Tile::dims == 2 ? Tile::together : 0;

template <class Real, class Tile, class Work, bool Backward>
__global__ void __launch_bounds__(SweepRole<Real, Tile, Work, Backward>::threads,
                                  resident_tiles<Tile, SweepRole<Real, Tile, Work, Backward>>)
    sweep_kernel(const __grid_constant__ SweepArguments<Real, Work::inputs, Work::outputs> arguments) {
  using Role = SweepRole<Real, Tile, Work, Backward>;
  extern __shared__ __align__(128) unsigned char memory[];
  const Role role(arguments, *reinterpret_cast<typename Role::Shared*>(memory));
  const bool is_idle = Work::follows_sweep && Work::is_idle(arguments.state);
  if (is_idle || !Work::follows_sweep) await_predecessor();
  if (Work::is_idle(arguments.state)) return;
  if (threadIdx.x / warp_size == 0) SweepSolver<Real, Tile, Work, Backward>(role).solve();
  else if (threadIdx.x / warp_size == 1 && (role.has_left_ || role.has_above_))
    SweepEdgeLoader<Real, Tile, Work, Backward>(role).carry();
  else if (threadIdx.x == 2 * warp_size) SweepRowLoader<Real, Tile, Work, Backward>(role).feed();
  if constexpr (Role::transfers > 0)
    if (threadIdx.x / warp_size >= 3) SweepTransfer<Real, Tile, Work, Backward>(role).carry();
}

}  // namespace terrace::cuda::grid
