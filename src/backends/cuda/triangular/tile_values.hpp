// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of a triangle in tiles (tile_layout.hpp), with the tiles on the diagonal inverted.
//
// A tile of 64 x 64 numbers lies row by row. What is not stored in the matrix is zero, and behind the last row of a
// block there are ones on the diagonal. A zero that is stored beside the diagonal is the smallest number there is in
// its place, so that a NaN passes through it as it does in a sum. In place of L_ii stands its inverse, whose columns
// come from substitution with the unit vectors; it is a lower triangle too.
#pragma once

#include "algorithms/triangular/row_kernels.hpp"
#include "backends/cuda/triangular/tile_layout.hpp"
#include "parallel/index_arithmetic.hpp"

namespace terrace::cuda::triangular {

template <class Scalar>
__device__ Scalar smallest() {
  using Real = decltype(Kokkos::abs(Scalar()));
  return Scalar(Kokkos::Experimental::denorm_min_v<Real>);
}

template <class Scalar, class Offset>
struct FillTiles {
  sparse::TriangleView<int, Offset> pattern;  // gather
  const Scalar* values;
  TileLayout layout;
  Scalar* tiles;  // zeros on entry
  bool unit;

  __device__ void put(int tile, int row, int column, const Scalar& value) const {
    tiles[static_cast<std::size_t>(tile) * Tiles::numbers + static_cast<std::size_t>(row * Tiles::size + column)] =
        value;
  }

  /// The tile of a block row that has the block's unknowns.
  __device__ int tile_of(int block, int other) const {
    if (block == other) return layout.diagonal[block];
    const auto& lists = layout.by_row;
    return lists.tiles[sparse::find_column(lists.others, lists.map[block], lists.map[block + 1], other)];
  }
};

/// A block for each row of a block, those beyond its last one included.
template <class Scalar, class Offset>
__global__ void fill_tiles_kernel(FillTiles<Scalar, Offset> fill) {
  const auto& layout = fill.layout;
  const int block = static_cast<int>(blockIdx.x) / Tiles::size, place = static_cast<int>(blockIdx.x) % Tiles::size;
  const int position = layout.first[block] + place;
  if (position >= layout.first[block + 1]) {
    if (threadIdx.x == 0) fill.put(layout.diagonal[block], place, place, Scalar(1));
    return;
  }
  const int row = layout.row_of(position);
  parallel::for_entries_of_lane(fill.pattern.begin(row), fill.pattern.end(row), static_cast<int>(threadIdx.x),
                                static_cast<int>(blockDim.x), [&](Offset k) {
                                  const int column = layout.row_of(fill.pattern.entries[k]);
                                  const int other = layout.block_of[column];
                                  const Scalar value = fill.values[k];
                                  fill.put(fill.tile_of(block, other), place, column - layout.first[other],
                                           value == Scalar(0) ? smallest<Scalar>() : value);
                                });
  if (threadIdx.x == 0)
    fill.put(layout.diagonal[block], place, place,
             fill.unit ? Scalar(1) : fill.values[fill.pattern.diagonal_position(row)]);
}

/// Inverts the diagonal tile of block blockIdx.x; thread c computes column c. Zeros are skipped, so that an
/// infinite number reaches only what depends on it; and a number that underflows to zero is replaced by the smallest
/// there is, so that it reaches all that does.
template <class Scalar>
__global__ void __launch_bounds__(Tiles::size) invert_diagonal_kernel(const int* diagonal, Scalar* tiles) {
  Scalar* tile = tiles + static_cast<std::size_t>(diagonal[blockIdx.x]) * Tiles::numbers;
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

}  // namespace terrace::cuda::triangular
