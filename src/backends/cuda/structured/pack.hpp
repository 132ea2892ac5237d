// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the caller's vectors and skewed storage, with a scaling on the way.
//
// A thread follows one element of the rows from row to row, so that no index is divided but at the beginning; what
// neighbouring lanes need of a line of the grid comes in consecutive rows and stays in L1 between them.
#pragma once

#include "backends/cuda/launch.hpp"
#include "backends/cuda/structured/skewed_grid.hpp"

namespace terrace::cuda::grid {

struct PackTuning {
  static constexpr int block = 256;
  static constexpr int rows = 16;  // that a thread follows
};

/// Calls body(cell, position in skewed storage) for the rows of this block.
template <class Tile, class Real, class Body>
__device__ void visit_cells_of_block(const SkewedGrid& grid, Index rows, const Body& body) {
  constexpr int groups = PackTuning::block / Tile::row;
  static_assert(PackTuning::block % Tile::row == 0);
  const int offset = static_cast<int>(threadIdx.x) % Tile::row, group = static_cast<int>(threadIdx.x) / Tile::row;
  const Index first = (Index(blockIdx.x) * groups + group) * PackTuning::rows;
  const int count = static_cast<int>(rows - first < PackTuning::rows ? rows - first : PackTuning::rows);
  CellWalk<Tile, Real> walk(grid, offset, first);
#pragma unroll 4
  for (int k = 0; k < count; ++k, walk.next_row()) body(walk.cell(), (first + k) * Tile::row + offset);
}

template <class Tile>
std::size_t blocks_of_rows(const SkewedGrid& grid) {
  constexpr int rows_of_block = PackTuning::block / Tile::row * PackTuning::rows;
  return static_cast<std::size_t>((skewed_rows<Tile>(grid) + rows_of_block - 1) / rows_of_block);
}

template <class Tile, class Real, class Body>
__global__ void __launch_bounds__(PackTuning::block) walk_cells_kernel(SkewedGrid grid, Index rows, Body body) {
  visit_cells_of_block<Tile, Real>(grid, rows, body);
}

/// Enqueues body(cell, position in skewed storage) for all of it.
template <class Tile, class Real, class Body>
void walk_cells(const Kokkos::Cuda& space, const char* label, const SkewedGrid& grid, const Body& body) {
  launch(space, label, walk_cells_kernel<Tile, Real, Body>, blocks_of_rows<Tile>(grid), PackTuning::block, grid,
         skewed_rows<Tile>(grid), body);
}

/// How a vector is scaled on its way: by nothing, 1 / d, its square root, or one over that.
enum class Scale { None, Inverse, Root, InverseRoot };

template <class Real>
struct Scaling {
  Scale scale;
  const Real* inverse;  // pivots, natural order

  __device__ Real operator()(Index cell) const {
    switch (scale) {
      case Scale::None: return Real(1);
      case Scale::Inverse: return inverse[cell];
      case Scale::Root: return sqrt(inverse[cell]);
      case Scale::InverseRoot: return Real(1) / sqrt(inverse[cell]);
    }
    return Real(0);
  }
};

template <class Real>
struct PackVector {
  const Real* natural;
  Index stride;
  Scaling<Real> scaling;
  Real* skewed;

  __device__ void operator()(const Cell& cell, Index at) const {
    skewed[at] = cell.is_real() ? natural[cell.natural * stride] * scaling(cell.natural) : Real(0);
  }
};

template <class Real>
struct UnpackVector {
  const Real* skewed;
  Scaling<Real> scaling;
  Real* natural;
  Index stride;

  __device__ void operator()(const Cell& cell, Index at) const {
    if (cell.is_real()) natural[cell.natural * stride] = skewed[at] * scaling(cell.natural);
  }
};

/// x += root e, and e becomes zero.
template <class Real>
struct AddCorrection {
  Real* skewed;
  Scaling<Real> scaling;
  Real* natural;

  __device__ void operator()(const Cell& cell, Index at) const {
    if (!cell.is_real()) return;
    natural[cell.natural] += skewed[at] * scaling(cell.natural);
    skewed[at] = Real(0);
  }
};

}  // namespace terrace::cuda::grid
