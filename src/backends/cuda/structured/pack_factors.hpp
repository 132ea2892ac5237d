// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factor's coefficients in skewed storage, and what the recurrence of the pivots reads.
//
// M = (D + L) D^-1 (D + U) with L and U the strict triangles of A itself; only D differs. Scaled, both factors have
// unit diagonals, so a sweep reads no pivots:
//   symmetric  S = D^-1/2:  S M S   = (I + S L S) (I + S U S),  S L S = (S U S)^T
//   general                 D^-1 M  = (I + D^-1 L) (I + D^-1 U)
//
// The pivots (algorithms/structured/pivots.hpp) are a sweep too, whose coefficients are the products of a lower
// coefficient and the upper ones that it meets, and whose solution is 1 / d.
#pragma once

#include "backends/cuda/structured/pack.hpp"
#include "backends/cuda/structured/sweep_work.hpp"

namespace terrace::cuda::grid {

using structured::Stencil;

template <class Tile, class Visit>
__device__ void for_each_axis(const Visit& visit) {
#pragma unroll
  for (int k = 0; k < 3; ++k)
    if (Tile::dims == 3 || k != 1) visit(k);
}

/// Centre and products of the pivots' recurrence; padding gets the identity.
template <class Tile, class Real>
struct PackProducts {
  static constexpr Order order = Order::Rows;

  SkewedGrid grid;
  Stencil<Real> A;
  Real relaxation, shift;
  Real* center;
  Real* product[3];

  __device__ void operator()(const Cell& cell, Index at) const {
    center[at] = cell.is_real() ? A.center[cell.natural] * (1 + shift) : Real(1);
    for_each_axis<Tile>([&](int k) { product[k][at] = cell.is_real() && cell.at[k] > 0 ? of(cell, k) : Real(0); });
  }

  __device__ Real of(const Cell& cell, int k) const {
    const Index behind = cell.natural - grid.stride[k];
    Real others(0);
    if (relaxation != Real(0)) {
#pragma unroll
      for (int b = 0; b < 3; ++b)
        if (b != k && cell.at[b] + 1 < grid.n[b]) others += A.upper[grid.axis[b]](behind);
    }
    return A.lower[grid.axis[k]](cell.natural) * (A.upper[grid.axis[k]](behind) + relaxation * others);
  }
};

/// Inverse pivots to natural order. NaN stands for one that broke down.
template <class Real>
struct UnpackPivots {
  static constexpr Order order = Order::Blocks;

  const Real* skewed;
  const Real* center;  // of A, natural order
  Real shift;
  bool is_symmetric;
  Real* inverse;
  std::int64_t* breakdown;

  __device__ void operator()(const Cell& cell, Index at) const {
    if (!cell.is_real()) return;
    Real found = skewed[at];
    if (isnan(found)) {
      parallel::atomic_lower(*breakdown, static_cast<std::int64_t>(cell.natural));
      found = Real(1) / structured::replaced_pivot(is_symmetric, center[cell.natural] * (1 + shift));
    }
    inverse[cell.natural] = found;
  }
};

/// Both scaled triangles, and what they are scaled by: S, or D^-1.
template <class Tile, class Real>
struct PackFactors {
  static constexpr Order order = Order::Rows;

  SkewedGrid grid;
  Stencil<Real> A;
  bool is_symmetric;
  const Real* inverse;
  Real* lower[3];
  Real* upper[3];
  Real* scale;

  __device__ void operator()(const Cell& cell, Index at) const {
    const Index i = cell.natural;
    const Real own = !cell.is_real() ? Real(1) : is_symmetric ? square_root(inverse[i]) : inverse[i];
    scale[at] = own;
    for_each_axis<Tile>([&](int k) {
      const int axis = grid.axis[k];
      Real low(0), up(0);
      if (cell.is_real() && cell.at[k] > 0)
        low = A.lower[axis](i) * (is_symmetric ? own * square_root(inverse[i - grid.stride[k]]) : own);
      if (cell.is_real() && cell.at[k] + 1 < grid.n[k])
        up = A.upper[axis](i) * (is_symmetric ? own * square_root(inverse[i + grid.stride[k]]) : own);
      lower[k][at] = low;
      upper[k][at] = up;
    });
  }
};

/// What the iteration needs of a symmetric matrix besides: e = a / d - 2.
template <class Real>
struct PackDiagonals {
  static constexpr Order order = Order::Rows;

  const Real* center;
  const Real* inverse;
  Real* e;

  __device__ void operator()(const Cell& cell, Index at) const {
    e[at] = cell.is_real() ? center[cell.natural] * inverse[cell.natural] - Real(2) : Real(0);
  }
};

}  // namespace terrace::cuda::grid
