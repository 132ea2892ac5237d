// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A triangle that is dense, or nearly: square tiles, with the tiles on the diagonal inverted.
//
// Positions are rows in solution order, so the triangle is a lower one whatever uplo and op are. Tile (i, j), j <= i,
// of 64 x 64 numbers lies row by row at (i (i + 1) / 2 + j) x 64 x 64; what is not stored in the matrix, or lies beyond
// its last row, is zero, and one on the diagonal beyond the last row. In place of L_ii stands its inverse, whose
// columns come from substitution with the unit vectors; it is a lower triangle too.
#pragma once

#include "algorithms/tasks/cut_tasks.hpp"
#include "algorithms/triangular/row_kernels.hpp"
#include "backends/cuda/triangular/tuning.hpp"
#include "parallel/index_arithmetic.hpp"

namespace terrace::cuda {

struct Tiles {
  static constexpr int size = DenseTuning::tile, numbers = size * size;

  KOKKOS_FUNCTION static std::size_t start(int row, int column) {
    return (static_cast<std::size_t>(row) * (static_cast<std::size_t>(row) + 1) / 2 +
            static_cast<std::size_t>(column)) *
           numbers;
  }
  static int count(int rows) { return parallel::divide_up(rows, size); }
};

template <class Scalar, class Offset>
struct FillTiles {
  sparse::Pattern<int, Offset> lines;  // gather
  const Scalar* values;
  Scalar* tiles;  // zeros on entry
  bool backward;
  bool unit;

  __device__ int position(int row) const { return tasks::Positions<int>{lines.lines, backward, nullptr}.of(row); }

  __device__ void put(int at, int column, const Scalar& value) const {
    tiles[Tiles::start(at / Tiles::size, column / Tiles::size) +
          static_cast<std::size_t>(at % Tiles::size * Tiles::size + column % Tiles::size)] = value;
  }
};

/// A block per position, those beyond the last row included.
template <class Scalar, class Offset>
__global__ void fill_tiles_kernel(FillTiles<Scalar, Offset> fill) {
  const int at = static_cast<int>(blockIdx.x), row = fill.position(at);
  if (at >= fill.lines.lines) {
    if (threadIdx.x == 0) fill.put(at, at, Scalar(1));
    return;
  }
  parallel::for_entries_of_lane(fill.lines.begin(row), fill.lines.end(row), static_cast<int>(threadIdx.x),
                                static_cast<int>(blockDim.x),
                                [&](Offset k) { fill.put(at, fill.position(fill.lines.entries[k]), fill.values[k]); });
  if (threadIdx.x == 0) fill.put(at, at, fill.unit ? Scalar(1) : fill.values[fill.lines.diagonal_position(row)]);
}

template <class Scalar>
__device__ Scalar smallest() {
  using Real = decltype(Kokkos::abs(Scalar()));
  return Scalar(Kokkos::Experimental::denorm_min_v<Real>);
}

/// Inverts the diagonal tile of block row blockIdx.x; thread c computes column c. Zeros are skipped, so that an
/// infinite number reaches only what depends on it; and a number that underflows to zero is replaced by the smallest
/// there is, so that it reaches all that does.
template <class Scalar>
__global__ void __launch_bounds__(Tiles::size) invert_diagonal_kernel(Scalar* tiles) {
  Scalar* tile = tiles + Tiles::start(static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.x));
  __shared__ __align__(16) unsigned char memory[Tiles::size * (Tiles::size + 1) / 2 * sizeof(Scalar)];
  auto* triangle = reinterpret_cast<Scalar*>(memory);  // packed by rows
  const int column = static_cast<int>(threadIdx.x);
  for (int row = column; row < Tiles::size; ++row)
    triangle[row * (row + 1) / 2 + column] = tile[row * Tiles::size + column];
  __syncthreads();
  for (int row = 0; row < Tiles::size; ++row) {
    Scalar sum(row == column ? 1 : 0);
    bool depends = row == column;
    for (int k = column; k < row; ++k) {
      const Scalar a = triangle[row * (row + 1) / 2 + k], before = tile[k * Tiles::size + column];
      if (a == Scalar(0) || before == Scalar(0)) continue;
      sum -= a * before;
      depends = true;
    }
    const Scalar number = row < column ? Scalar(0) : sum / triangle[row * (row + 1) / 2 + row];
    tile[row * Tiles::size + column] = depends && number == Scalar(0) ? smallest<Scalar>() : number;
  }
}

}  // namespace terrace::cuda
