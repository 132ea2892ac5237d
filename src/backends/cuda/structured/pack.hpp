// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the caller's vectors and skewed storage, with a scaling on the way.
//
// A thread follows one element of a lane along m, so that no index is divided but at the beginning. What writes skewed
// storage goes by rows: half-written sectors cost three times what gathered reads do (factors at 120^3: 300 us by
// blocks, 99 by rows). What writes natural storage, or reads many diagonals, goes by blocks (inverse pivots: 26 us by
// rows, 12 by blocks).
#pragma once

#include "backends/cuda/launch.hpp"
#include "backends/cuda/structured/skewed_grid.hpp"
#include "backends/cuda/structured/tuning.hpp"

namespace terrace::cuda::grid {

/// Calls body(cell, position in skewed storage) for this thread block's share of all that is in a tile.
template <class Tile, class Real, class Body>
__device__ void visit_share(const SkewedGrid& grid, Order order, const Body& body) {
  constexpr int groups = PackTuning::block / Tile::row;
  static_assert(PackTuning::block % Tile::row == 0);
  const int offset = static_cast<int>(threadIdx.x) % Tile::row, group = static_cast<int>(threadIdx.x) / Tile::row;
  const Index first = (Index(blockIdx.x) * groups + group) * PackTuning::length;
  const Index rest = (order == Order::Rows ? skewed_rows<Tile>(grid) : blocks_of_lane(grid)) - first;
  const int count = static_cast<int>(rest < PackTuning::length ? rest : PackTuning::length);
  CellWalk<Tile, Real> walk(grid, offset, order, first);
#pragma unroll 4
  for (int k = 0; k < count; ++k, walk.next())
    if (walk.is_in_tile()) body(walk.cell(), walk.position());
}

/// Thread blocks that visit all cells.
template <class Tile>
std::size_t visiting_blocks(const SkewedGrid& grid) {
  constexpr int share = PackTuning::block / Tile::row * PackTuning::length;
  return static_cast<std::size_t>((skewed_rows<Tile>(grid) + share - 1) / share);
}

template <class Tile, class Real, class Body>
__global__ void __launch_bounds__(PackTuning::block) visit_cells_kernel(SkewedGrid grid, Body body) {
  if constexpr (requires { body.of_column(0); })
    visit_share<Tile, Real>(grid, Body::order, body.of_column(static_cast<int>(blockIdx.y)));
  else visit_share<Tile, Real>(grid, Body::order, body);
}

/// Enqueues body(cell, position in skewed storage) for all that is in a tile, in the body's order; for several columns
/// body.of_column(k) for each.
template <class Tile, class Real, class Body>
void visit_cells(const Kokkos::Cuda& space, const char* label, const SkewedGrid& grid, const Body& body,
                 int columns = 1) {
  launch_grid(space, label, visit_cells_kernel<Tile, Real, Body>,
              dim3(checked_blocks(visiting_blocks<Tile>(grid)), static_cast<unsigned>(columns)), PackTuning::block,
              grid, body);
}

/// How a vector is scaled on its way.
enum class Scale { None, Multiply, Divide };

template <class Real>
struct Scaling {
  Scale scale;
  const Real* by;  // skewed

  __device__ Real operator()(Index at) const {
    switch (scale) {
      case Scale::None: return Real(1);
      case Scale::Multiply: return by[at];
      case Scale::Divide: return Real(1) / by[at];
    }
    return Real(0);
  }
};

template <class Real>
struct PackVector {
  static constexpr Order order = Order::Rows;

  const Real* natural;
  Index stride, column;  // from row to row, from column to column
  Scaling<Real> scaling;
  Real* skewed;
  Index skewed_column;

  __device__ PackVector of_column(int k) const {
    return {natural + k * column, stride, column, scaling, skewed + k * skewed_column, skewed_column};
  }
  __device__ void operator()(const Cell& cell, Index at) const {
    skewed[at] = cell.is_real() ? natural[cell.natural * stride] * scaling(at) : Real(0);
  }
};

template <class Real>
struct UnpackVector {
  static constexpr Order order = Order::Blocks;

  const Real* skewed;
  Index skewed_column;
  Scaling<Real> scaling;
  Real* natural;
  Index stride, column;

  __device__ UnpackVector of_column(int k) const {
    return {skewed + k * skewed_column, skewed_column, scaling, natural + k * column, stride, column};
  }
  __device__ void operator()(const Cell& cell, Index at) const {
    if (cell.is_real()) natural[cell.natural * stride] = skewed[at] * scaling(at);
  }
};

/// x += scaled e, and e becomes zero.
template <class Real>
struct AddCorrection {
  static constexpr Order order = Order::Blocks;

  Real* skewed;
  Scaling<Real> scaling;
  Real* natural;
  const structured::PcgState* state;

  __device__ void operator()(const Cell& cell, Index at) const {
    if (!cell.is_real()) return;
    natural[cell.natural] += skewed[at] * parallel::power_of_two<Real>(-state->exponent) * scaling(at);
    skewed[at] = Real(0);
  }
};

}  // namespace terrace::cuda::grid
