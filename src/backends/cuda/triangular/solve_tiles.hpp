// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution by blocks of 64 rows: x_i = L_ii^-1 (b_i - sum_j L_ij x_j), a thread block per block row.
//
// Thread blocks claim block rows in an order in which none comes before one that it needs, and take the x_j as they are
// published (watch.hpp), with the next tile already on its way; so the critical path is one product with the tile
// beside the diagonal, one with the inverse of the diagonal tile, and one trip through L2, for 64 unknowns. The
// transposed system is the same tiles read by columns, from the last block row to the first (tile_graph.hpp). After the
// blocked substitution of the dense libraries, for example Golub, Van Loan, Matrix Computations, section 3.1; diagonal
// inverses as in Heller, SIAM Review 20, 1978.
//
// Inverting the diagonal tiles costs accuracy where they are badly conditioned by themselves. Zeros are skipped, so a
// NaN reaches only what depends on it. Deterministic.
#pragma once

#include "backends/cuda/triangular/slice_system.hpp"
#include "backends/cuda/triangular/tile_values.hpp"

namespace terrace::cuda::triangular {

template <class Scalar>
struct TileSystem {
  const Scalar* tiles;
  TileLayout layout;
  bool transposed;  // solve with the transpose of the lower triangle of positions
  bool conjugate;
  Scalar* unknowns;  // by block and row of it; pending until solved
  unsigned* claimed;
  const Scalar* b;
  Scalar* x;
  std::ptrdiff_t b_stride;
  std::ptrdiff_t x_stride;

  __device__ const DeviceTileLists& lists() const { return transposed ? layout.by_column : layout.by_row; }
};

/// What one thread holds of a tile: one number of the row in four, starting with its part.
template <class Scalar>
struct TilePart {
  static constexpr int parts = TileTuning::threads / Tiles::size, size = Tiles::size / parts;
  Scalar number[size];

  __device__ void load(const TileSystem<Scalar>& system, int number_of_tile, int row, int part) {
    const Scalar* tile = system.tiles + static_cast<std::size_t>(number_of_tile) * Tiles::numbers;
#pragma unroll
    for (int k = 0; k < size; ++k) {
      const int column = k * parts + part;
      number[k] = tile[system.transposed ? column * Tiles::size + row : row * Tiles::size + column];
    }
  }

  /// Of a triangle, whose other half is not read.
  __device__ void load_triangle(const TileSystem<Scalar>& system, int number_of_tile, int row, int part) {
    const Scalar* tile = system.tiles + static_cast<std::size_t>(number_of_tile) * Tiles::numbers;
#pragma unroll
    for (int k = 0; k < size; ++k) {
      const int column = k * parts + part;
      number[k] = Scalar(0);
      if (system.transposed ? column >= row : column <= row)
        number[k] = tile[system.transposed ? column * Tiles::size + row : row * Tiles::size + column];
    }
  }

  /// The sum over the row of the tile; in each of the threads that share it.
  __device__ Scalar times(const Scalar* vector, int part, bool conjugate) const {
    Scalar sum(0);
#pragma unroll
    for (int k = 0; k < size; ++k)
      if (number[k] != Scalar(0)) sum += conjugated(number[k], conjugate) * vector[k * parts + part];
    for (int distance = parts / 2; distance > 0; distance /= 2) sum += from_lane(sum, distance);
    return sum;
  }
};

template <class Scalar>
__global__ void __launch_bounds__(TileTuning::threads)
    solve_tiles_kernel(const __grid_constant__ TileSystem<Scalar> system) {
  constexpr int parts = TilePart<Scalar>::parts;
  __shared__ unsigned claim;
  __shared__ __align__(16) unsigned char memory[2 * Tiles::size * sizeof(Scalar)];
  auto* vectors = reinterpret_cast<Scalar*>(memory);  // two, in turns, so that one barrier serves each
  const int thread = static_cast<int>(threadIdx.x), row = thread / parts, part = thread % parts;
  const auto& layout = system.layout;
  const auto& lists = system.lists();
  for (;;) {
    if (thread == 0) claim = atomicAdd(system.claimed, 1u) + 1u;
    __syncthreads();
    if (claim >= static_cast<unsigned>(layout.blocks)) return;
    const int block = lists.order[claim], position = layout.first[block] + row;
    const int begin = lists.map[block], end = lists.map[block + 1];
    TilePart<Scalar> inverse, tile;
    inverse.load_triangle(system, layout.diagonal[block], row, part);
    const bool is_row = position < layout.first[block + 1];
    Scalar sum = is_row ? system.b[layout.row_of(position) * system.b_stride] : Scalar(0);
    if (begin < end) tile.load(system, lists.tiles[begin], row, part);
    // What the lists say is looked up a turn before it is used: others wait for these unknowns.
    int other = begin < end ? lists.others[begin] : 0, next_tile = begin + 1 < end ? lists.tiles[begin + 1] : 0;
    for (int at = begin; at < end; ++at) {
      const TilePart<Scalar> present = tile;
      const int wanted = other;
      if (at + 1 < end) {
        tile.load(system, next_tile, row, part);
        other = lists.others[at + 1];
      }
      if (at + 2 < end) next_tile = lists.tiles[at + 2];
      Scalar* vector = vectors + (at - begin) % 2 * Tiles::size;
      if (thread < Tiles::size) {
        vector[thread] = await_published(system.unknowns + static_cast<std::size_t>(wanted) * Tiles::size + thread);
      }
      __syncthreads();
      sum -= present.times(vector, part, system.conjugate);
    }
    Scalar* vector = vectors + (end - begin) % 2 * Tiles::size;
    if (part == 0) vector[row] = sum;
    __syncthreads();
    const Scalar solved = publishable(inverse.times(vector, part, system.conjugate));
    if (part == 0) {
      publish(system.unknowns + static_cast<std::size_t>(block) * Tiles::size + row, solved);
      if (is_row) system.x[layout.row_of(position) * system.x_stride] = solved;
    }
    __syncthreads();
  }
}

}  // namespace terrace::cuda::triangular
