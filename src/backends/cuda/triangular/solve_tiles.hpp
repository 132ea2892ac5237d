// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution by blocks of 64 rows: x_i = L_ii^-1 (b_i - sum_j L_ij x_j), a thread block per block row.
//
// Thread blocks claim block rows in order and take the x_j as they are published (watch.hpp), with the next tile
// already on its way; so the critical path is one product with the tile beside the diagonal, one with the inverse of
// the diagonal tile, and one trip through L2, for 64 unknowns. The transposed system is the same tiles read by columns,
// from the last block row to the first. After the blocked substitution of the dense libraries, for example
// Golub, Van Loan, Matrix Computations, section 3.1; diagonal inverses as in Heller, SIAM Review 20, 1978.
//
// Inverting the diagonal tiles costs accuracy where they are badly conditioned by themselves. Zeros are skipped, so a
// NaN reaches only what depends on it. Deterministic.
#pragma once

#include "backends/cuda/triangular/dense_tiles.hpp"
#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda {

template <class Scalar>
struct TileSystem {
  const Scalar* tiles;
  int rows;
  int block_rows;
  bool backward;    // position p is row rows - 1 - p
  bool transposed;  // solve with the transpose of the lower triangle of positions
  bool conjugate;
  Scalar* unknowns;  // by position; pending until solved
  unsigned* claimed;
  const Scalar* b;
  Scalar* x;
  std::ptrdiff_t b_stride;
  std::ptrdiff_t x_stride;

  __device__ int row_of(int position) const { return tasks::Positions<int>{rows, backward, nullptr}.of(position); }
};

/// What one thread holds of a tile: one number of the row in four, starting with its part.
template <class Scalar>
struct TilePart {
  static constexpr int parts = DenseTuning::threads / Tiles::size, size = Tiles::size / parts;
  Scalar number[size];

  __device__ void load(const TileSystem<Scalar>& system, int tile_row, int tile_column, int row, int part) {
    const Scalar* tile =
        system.tiles + (system.transposed ? Tiles::start(tile_column, tile_row) : Tiles::start(tile_row, tile_column));
#pragma unroll
    for (int k = 0; k < size; ++k) {
      const int column = k * parts + part;
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
__global__ void __launch_bounds__(DenseTuning::threads) solve_tiles_kernel(TileSystem<Scalar> system) {
  constexpr int parts = TilePart<Scalar>::parts;
  __shared__ unsigned claim;
  __shared__ __align__(16) unsigned char memory[2 * Tiles::size * sizeof(Scalar)];
  auto* vectors = reinterpret_cast<Scalar*>(memory);  // two, in turns, so that one barrier serves each
  const int thread = static_cast<int>(threadIdx.x), row = thread / parts, part = thread % parts;
  const int step = system.transposed ? -1 : 1, first = system.transposed ? system.block_rows - 1 : 0;
  for (;;) {
    if (thread == 0) claim = atomicAdd(system.claimed, 1u) + 1u;
    __syncthreads();
    const int number = static_cast<int>(claim);
    if (number >= system.block_rows) return;
    const int block_row = first + step * number, position = block_row * Tiles::size + row;
    TilePart<Scalar> inverse, tile;
    inverse.load(system, block_row, block_row, row, part);
    const bool is_row = position < system.rows;
    Scalar sum = is_row ? system.b[system.row_of(position) * system.b_stride] : Scalar(0);
    if (number > 0) tile.load(system, block_row, first, row, part);
    for (int j = 0; j < number; ++j) {
      const TilePart<Scalar> present = tile;
      if (j + 1 < number) tile.load(system, block_row, first + step * (j + 1), row, part);
      Scalar* vector = vectors + j % 2 * Tiles::size;
      if (thread < Tiles::size) {
        const Scalar* from = system.unknowns + (first + step * j) * Tiles::size + thread;
        Scalar found = pending<Scalar>();
        do watch_if(is_pending(found), from, found);
        while (is_pending(found));
        vector[thread] = found;
      }
      __syncthreads();
      sum -= present.times(vector, part, system.conjugate);
    }
    Scalar* vector = vectors + number % 2 * Tiles::size;
    if (part == 0) vector[row] = sum;
    __syncthreads();
    const Scalar solved = publishable(inverse.times(vector, part, system.conjugate));
    if (part == 0) {
      publish(system.unknowns + position, solved);
      if (is_row) system.x[system.row_of(position) * system.x_stride] = solved;
    }
    __syncthreads();
  }
}

}  // namespace terrace::cuda
