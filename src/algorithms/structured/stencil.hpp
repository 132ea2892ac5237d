// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix of a grid as kernels see it.
//
// Each row has a centre and, per direction, a lower and an upper neighbour. A Side says where the coefficients of one
// of these six lie: that of row c stands at c + shift of some diagonal. With it a symmetric matrix (whose lower
// coefficient in row c is the upper one of row c - step), a general one and the transposes of both are the same
// kernels: transposing swaps the sides and moves their shifts.
#pragma once

#include <terrace/structured_matrix.hpp>

#include "parallel/concurrency.hpp"

namespace terrace::structured {

using Index = std::ptrdiff_t;

enum Direction { X, Y, Z, Directions };

template <class Scalar>
struct Side {
  const Scalar* diagonal = nullptr;
  Index shift = 0;
  Index step = 0;  // from a cell to this neighbour

  KOKKOS_FUNCTION const Scalar& operator()(Index row) const { return diagonal[row + shift]; }
};

template <class ScalarType>
struct Stencil {
  using Scalar = ScalarType;

  int extent[Directions];
  const Scalar* center;
  Side<Scalar> lower[Directions], upper[Directions];
  const Scalar* zeros;  // a line of them

  KOKKOS_FUNCTION Index lines() const { return Index(extent[Y]) * extent[Z]; }
  KOKKOS_FUNCTION Index cells() const { return lines() * extent[X]; }
  KOKKOS_FUNCTION Index index(int i, int j, int k) const { return i + extent[X] * (j + Index(extent[Y]) * k); }

  Stencil transposed() const {
    Stencil result = *this;
    for (int d = 0; d < Directions; ++d) {
      const Index step = upper[d].step;
      result.lower[d] = {upper[d].diagonal, upper[d].shift - step, -step};
      result.upper[d] = {lower[d].diagonal, lower[d].shift + step, step};
    }
    return result;
  }
};

template <class Scalar, class Space>
Stencil<Scalar> make_stencil(const StructuredMatrix<Scalar, Space>& A, Op op = Op::None) {
  const Grid& grid = A.grid();
  const auto& d = A.diagonals();
  const Index steps[Directions] = {1, grid.nx, Index(grid.nx) * grid.ny};
  const Scalar* const upper[Directions] = {d.upper_x.data(), d.upper_y.data(), d.upper_z.data()};
  const Scalar* const lower[Directions] = {d.lower_x.data(), d.lower_y.data(), d.lower_z.data()};
  Stencil<Scalar> stencil{{grid.nx, grid.ny, grid.nz}, d.center.data(), {}, {}, A.zeros().data()};
  for (int k = 0; k < Directions; ++k) {
    stencil.upper[k] = {upper[k], 0, steps[k]};
    if (A.is_symmetric()) stencil.lower[k] = {upper[k], -steps[k], -steps[k]};
    else stencil.lower[k] = {lower[k], 0, -steps[k]};
  }
  return op == Op::None ? stencil : stencil.transposed();
}

/// A line of a diagonal or a vector; its end cells may lie outside the grid, where nothing is read.
template <class T, bool Contiguous>
struct Line {
  T* data;
  Index stride;
  KOKKOS_FUNCTION T& operator[](Index i) const {
    if constexpr (Contiguous) return data[i];
    return data[i * stride];
  }
};

}  // namespace terrace::structured
