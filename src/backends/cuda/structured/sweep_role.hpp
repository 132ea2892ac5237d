// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the roles of a sweep (sweep.hpp) have in common: tuning, arguments, the shared memory of a tile.
#pragma once

#include "backends/cuda/early_launch.hpp"
#include "backends/cuda/structured/handoff.hpp"
#include "backends/cuda/structured/skewed_grid.hpp"
#include "backends/cuda/structured/sweep_work.hpp"
#include "backends/cuda/structured/tile_memory.hpp"

namespace terrace::cuda::grid {

/// Chosen by terrace_grid_perf on an H200. More rows in flight than `budget` gain nothing in 3-D.
template <class Tile, int Streams, class Real>
struct SweepTuning {
  static constexpr int chunk = Tile::chunk;  // steps per bulk copy and per wait for it
  // Bytes of shared memory for rows, or two chunks if those need more.
  static constexpr int budget = TileMemory::bytes_of_rows<Tile>();
  static constexpr int chunk_bytes = chunk * Streams * Tile::row * static_cast<int>(sizeof(Real));
  static constexpr int fitting = budget / chunk_bytes;
  static constexpr int stages = fitting < 2 ? 2 : fitting > 16 ? 16 : fitting;
  static constexpr int slots = 16;                               // chunks of edges
  static constexpr int looks = Tile::edge < 4 ? Tile::edge : 4;  // that a lane of the edge loader takes at once
  static constexpr unsigned row_loader_rest = 20;                // ns between two looks of the row loader
  static_assert(chunk <= SkewedGrid::margin && 2 * chunk_bytes <= 200 * 1024);
  static_assert(slots * chunk >= looks * warp_size / Tile::edge + chunk);
};

/// The caller's vectors, for the transfer warps.
template <class Real>
struct NaturalVectors {
  const Real* in;
  Real* out;
  Index in_stride, out_stride;  // from row to row
  Index in_column, out_column;  // from column to column
  const Real* scale;            // skewed; null: one
  SkewedGrid grid;
};

template <class Real, int Inputs, int Outputs>
struct SweepArguments {
  const Real* in[Inputs];      // past the margin, as all skewed pointers here
  const Real* coefficient[3];  // c_u, c_v, c_m; c_v unused in 2-D
  Real* out[Outputs];
  Real* edges;        // all awaited
  unsigned* claimed;  // two counters, zero
  double* partial;    // one per tile, if the work sums
  PcgState* state;    // if the work belongs to the iteration
  int tiles_u, tiles_v, blocks_m;
  Index column;                  // from one right-hand side's skewed vectors to the next one's; each has its edges
  NaturalVectors<Real> natural;  // if the work enters or leaves
};

/// Cells that the tiles of a grid need to hand their edges on.
template <class Tile>
Index edge_cells(const SkewedGrid& grid) {
  return Index(grid.tiles()) * (grid.blocks_m + Tile::skew) * Tile::edge;
}

/// Tile number k counted by anti-diagonals, the order in which waves reach them.
__device__ inline int by_anti_diagonals(int k, int tiles_u, int tiles_v) {
  int diagonal = 0, v = 0;
  for (;; ++diagonal) {
    v = max(0, diagonal - tiles_u + 1);
    const int length = min(diagonal, tiles_v - 1) - v + 1;
    if (k < length) break;
    k -= length;
  }
  v += k;
  return v * tiles_u + diagonal - v;
}

template <class Real, int Count>
struct alignas(Count * sizeof(Real)) ShortVector {
  Real value[Count];
};

/// One warp of the block that walks a tile.
template <class Real, class Tile, class Work, bool Backward>
struct SweepRole {
  static constexpr int streams = Work::inputs + Tile::dims;
  using Tuning = SweepTuning<Tile, streams, Real>;
  using Arguments = SweepArguments<Real, Work::inputs, Work::outputs>;
  static constexpr int cells = Tile::cells, chunk = Tuning::chunk, stages = Tuning::stages, slots = Tuning::slots;
  static constexpr int edge = Tile::edge, handoff = Tile::handoff, handoffs = slots * chunk / handoff;
  static constexpr int transfers = Work::enters || Work::leaves ? Tile::transfers : 0;
  static constexpr int threads = (3 + transfers) * warp_size;

  struct Shared {
    alignas(128) Real rows[stages][streams][chunk][Tile::row];
    alignas(16) Real leaving[Work::leaves ? stages : 1][Work::leaves ? chunk : 1][Work::leaves ? Tile::row : 1];
    alignas(16) Real edges[slots][chunk][edge];
    CopyBarrier rows_in[stages], rows_out[stages], edges_in[handoffs], edges_out[slots];
    CopyBarrier solved[stages], left[stages];  // rows of `leaving`
    int column, tile;
  };
  static_assert(sizeof(Shared) <= TileMemory::max_bytes<Tile>());

  const Arguments& a_;
  Shared& s_;
  int lane_, tile_, chunks_;  // the tile's number in the sweep's direction
  Index column_;              // where this right-hand side begins in skewed vectors
  bool has_left_, has_above_;

  __device__ SweepRole(const Arguments& arguments, Shared& shared)
      : a_(arguments), s_(shared), lane_(static_cast<int>(threadIdx.x) % warp_size) {
    if (threadIdx.x == 0) open();
    for (int k = threadIdx.x; k < slots * chunk * edge; k += threads) s_.edges[0][0][k] = Real(0);
    __syncthreads();
    tile_ = s_.tile;
    column_ = s_.column * a_.column;
    has_left_ = tile_ % a_.tiles_u > 0;
    has_above_ = tile_ / a_.tiles_u > 0;
    chunks_ = (a_.blocks_m + Tile::skew + chunk - 1) / chunk;
  }

  __device__ void open() {
    const int claim = static_cast<int>(atomicInc(a_.claimed, gridDim.x - 1)), tiles = a_.tiles_u * a_.tiles_v;
    s_.column = claim / tiles;
    s_.tile = a_.tiles_v == 1 ? claim % tiles : by_anti_diagonals(claim % tiles, a_.tiles_u, a_.tiles_v);
    for (int k = 0; k < stages; ++k) {
      make_barrier(&s_.rows_in[k], 1 + (Work::enters ? transfers : 0));
      make_barrier(&s_.rows_out[k], 1);
      if constexpr (Work::leaves) {
        make_barrier(&s_.solved[k], 1);
        make_barrier(&s_.left[k], transfers);
      }
    }
    for (int k = 0; k < handoffs; ++k) make_barrier(&s_.edges_in[k], 1);
    for (int k = 0; k < slots; ++k) make_barrier(&s_.edges_out[k], 1);
    show_barriers_to_copies();
  }

  __device__ Index first_row() const {
    return Index(Backward ? a_.tiles_u * a_.tiles_v - 1 - tile_ : tile_) * a_.blocks_m;
  }

  __device__ Real* edge_of(int tile, int step) const {
    const Index tiles = Index(s_.column) * a_.tiles_u * a_.tiles_v + tile;
    return a_.edges + (tiles * (a_.blocks_m + Tile::skew) + step) * edge;
  }
};

}  // namespace terrace::cuda::grid
