// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The skewed storage of a structured grid: every step of a wavefront sweep is one contiguous row.
//
// The grid's axes are called u, v and m. The two across, u and v, are cut into tiles of one warp each; a warp marches
// along m, the longest axis. A lane owns a block of cells per step (tiles.hpp), the lanes stand in a lanes_u x lanes_v
// array, and lane (i, j) is i + j steps behind lane (0, 0):
//
//   block number k along m of lane (i, j) of tile T   is in row   T * blocks_m + k + i + j.
//
// So the cells that one step of a warp solves are neighbours in memory, and the tail of a tile, where the first lanes
// have run out, shares its rows with the head of the next tile, where the last lanes have not begun: the skew costs
// no memory. The slots in no tile, before the first one's head and behind the last one's tail, are zero in every
// vector. Inside a row, vectors of 16 bytes (fewer if a block is smaller) lie lane by lane.
//
// The reversed row order is the backward sweep's order, hence one storage for both. Which axis is marched does not
// change an incomplete factorization without fill: the dependencies of a cell are the same cells.
//
// Cost: extents across are rounded up to whole tiles, and `margin` rows lie before and behind, which bulk copies may
// read.
#pragma once

#include <utility>

#include "algorithms/structured/stencil.hpp"
#include "backends/cuda/structured/tiles.hpp"

namespace terrace::cuda::grid {

using structured::Index;

/// Extents of a grid and where its cells are in skewed storage.
struct SkewedGrid {
  static constexpr int margin = 16;  // rows

  int axis[3] = {};      // which natural axis is u, v, m
  int n[3] = {};         // extents along u, v, m
  Index stride[3] = {};  // natural strides along u, v, m
  int tiles_u = 0, tiles_v = 0, blocks_m = 0;

  KOKKOS_FUNCTION int tiles() const { return tiles_u * tiles_v; }
  Index cells() const { return Index(n[0]) * n[1] * n[2]; }
};

/// The axes: m is the longest (the last of equals), u the first of the others that is longer than one.
inline SkewedGrid choose_axes(const Grid& natural) {
  const int extent[3] = {natural.nx, natural.ny, natural.nz};
  const Index stride[3] = {1, natural.nx, Index(natural.nx) * natural.ny};
  int m = 0;
  for (int a = 1; a < 3; ++a)
    if (extent[a] >= extent[m] && extent[a] > 1) m = a;
  int u = m == 0 ? 1 : 0, v = 3 - m - u;
  if (extent[u] == 1 && extent[v] > 1) std::swap(u, v);
  const int order[3] = {u, v, m};
  SkewedGrid grid;
  for (int a = 0; a < 3; ++a) {
    grid.axis[a] = order[a];
    grid.n[a] = extent[order[a]];
    grid.stride[a] = stride[order[a]];
  }
  return grid;
}

template <class Tile>
SkewedGrid skewed_grid(const Grid& natural) {
  const auto divide_up = [](int a, int b) { return (a + b - 1) / b; };
  SkewedGrid grid = choose_axes(natural);
  grid.tiles_u = divide_up(grid.n[0], Tile::size_u);
  grid.tiles_v = divide_up(grid.n[1], Tile::size_v);
  grid.blocks_m = divide_up(grid.n[2], Tile::block_m);
  return grid;
}

/// Blocks that a lane has in all tiles.
KOKKOS_FUNCTION inline Index blocks_of_lane(const SkewedGrid& grid) { return Index(grid.tiles()) * grid.blocks_m; }

template <class Tile>
KOKKOS_FUNCTION Index skewed_rows(const SkewedGrid& grid) {
  return blocks_of_lane(grid) + Tile::skew;
}

/// Elements to allocate for a skewed vector; its first row is `margin` rows behind the beginning.
template <class Tile>
Index skewed_size(const SkewedGrid& grid) {
  return (skewed_rows<Tile>(grid) + 2 * SkewedGrid::margin) * Tile::row;
}

/// A cell by its coordinates along u, v and m; `natural` is -1 for padding.
struct Cell {
  int at[3];
  Index natural;
  __device__ bool is_real() const { return natural >= 0; }
};

/// In which order threads of a kernel meet the cells: those of a row of skewed storage at once, whose cells lie at
/// different places along m, or those of a block along m, which lie in different rows.
enum class Order { Rows, Blocks };

/// Follows one element of a lane from block to block along m, through one tile after the other.
template <class Tile, class Real>
class CellWalk {
 public:
  /// `offset` of the element in its row; `first` row, or block counted through all tiles.
  __device__ CellWalk(const SkewedGrid& grid, int offset, Order order, Index first) : grid_(grid) {
    constexpr int vector = Tile::template vector<Real>;
    const int lane = offset % (warp_size * vector) / vector;
    const int c = offset / (warp_size * vector) * vector + offset % vector;
    const int i = lane % Tile::lanes_u, j = lane / Tile::lanes_u;
    in_tile_[0] = i * Tile::block_u + c % Tile::block_u;
    in_tile_[1] = j * Tile::block_v + c / Tile::block_u % Tile::block_v;
    in_block_ = c / (Tile::block_u * Tile::block_v);
    const Index number = order == Order::Rows ? first - i - j : first;
    tile_ = static_cast<int>((number < 0 ? number - grid.blocks_m + 1 : number) / grid.blocks_m);
    block_ = static_cast<int>(number - Index(tile_) * grid.blocks_m);
    position_ = (number + i + j) * Tile::row + offset;
    enter_tile();
  }

  __device__ bool is_in_tile() const { return tile_ >= 0 && tile_ < grid_.tiles(); }

  __device__ Cell cell() const {
    const int m = block_ * Tile::block_m + in_block_;
    return {{u_, v_, m}, is_inside_ && m < grid_.n[2] ? first_ + m * grid_.stride[2] : -1};
  }

  /// In skewed storage.
  __device__ Index position() const { return position_; }

  __device__ void next() {
    position_ += Tile::row;
    if (++block_ < grid_.blocks_m) return;
    block_ = 0;
    ++tile_;
    enter_tile();
  }

 private:
  __device__ void enter_tile() {
    u_ = tile_ % grid_.tiles_u * Tile::size_u + in_tile_[0];
    v_ = tile_ / grid_.tiles_u * Tile::size_v + in_tile_[1];
    is_inside_ = u_ < grid_.n[0] && v_ < grid_.n[1];
    first_ = u_ * grid_.stride[0] + v_ * grid_.stride[1];
  }

  const SkewedGrid& grid_;
  int in_tile_[2], in_block_;
  int tile_, block_, u_, v_;
  bool is_inside_;
  Index first_, position_;
};

}  // namespace terrace::cuda::grid
