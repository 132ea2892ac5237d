// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of an iteration: x += alpha w, r -= alpha q in scaled unknowns; then rho = (r, r) and the square of the true
// unknowns' residual, which is D^1/2 (I + L) r.
#pragma once

#include "backends/cuda/structured/skewed_grid.hpp"
#include "backends/cuda/structured/sums.hpp"
#include "backends/cuda/structured/sweep_role.hpp"

namespace terrace::cuda::grid {

/// In pairs; padding is zero in all vectors.
template <class Real>
__global__ void __launch_bounds__(SumTuning::block)
    update_kernel(Real* x, const Real* w, Real* r, const Real* q, Index size, const PcgState* state) {
  using Pair = ShortVector<Real, 2>;
  await_predecessor();
  let_successor_begin();
  if (state->stop != PcgState::Running) return;
  const Real alpha = static_cast<Real>(state->alpha);
  const Index step = Index(gridDim.x) * SumTuning::block;
#pragma unroll 2
  for (Index k = Index(blockIdx.x) * SumTuning::block + threadIdx.x; k < size / 2; k += step) {
    auto xk = reinterpret_cast<Pair*>(x)[k], rk = reinterpret_cast<Pair*>(r)[k];
    const auto wk = reinterpret_cast<const Pair*>(w)[k], qk = reinterpret_cast<const Pair*>(q)[k];
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      xk.value[c] += alpha * wk.value[c];
      rk.value[c] -= alpha * qk.value[c];
    }
    reinterpret_cast<Pair*>(x)[k] = xk;
    reinterpret_cast<Pair*>(r)[k] = rk;
  }
}

template <class Real>
struct NormArguments {
  const Real* r;
  const Real* coefficient[3];  // of the scaled L, by u, v, m
  const Real* scale;           // S = D^-1/2
  int rows, tiles_u, tiles_v, blocks_m;
  Sums* partial;
  unsigned* arrived;
  PcgState* state;
};

/// A warp per row of skewed storage. Neighbours along m are one row before, those across in the lane before or in the
/// tile before.
template <class Tile, class Real>
__global__ void __launch_bounds__(SumTuning::block) norm_kernel(NormArguments<Real> a) {
  await_predecessor();
  let_successor_begin();
  if (a.state->stop != PcgState::Running) return;
  constexpr int cells = Tile::cells, bu = Tile::block_u, bv = Tile::block_v, bm = Tile::block_m;
  constexpr int vector = Tile::template vector<Real>, warps = SumTuning::block / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size, i = lane % Tile::lanes_u, j = lane / Tile::lanes_u;
  const auto place = [&](Index row, int of_lane) { return row * Tile::row + Tile::template slot<Real>(of_lane, 0); };
  const auto load = [&](const Real* from, Index at, Real(&to)[cells]) {
#pragma unroll
    for (int c = 0; c < cells; c += vector) {
      const auto loaded =
          *reinterpret_cast<const ShortVector<Real, vector>*>(from + at + Tile::template slot<Real>(0, c));
#pragma unroll
      for (int k = 0; k < vector; ++k) to[c + k] = loaded.value[k];
    }
  };
  Sums sums;
  for (int row = static_cast<int>(blockIdx.x * warps + threadIdx.x / warp_size); row < a.rows;
       row += static_cast<int>(gridDim.x) * warps) {
    const int from = row - i - j, tile = from / a.blocks_m;
    if (from < 0 || tile >= a.tiles_u * a.tiles_v) continue;
    const Index own = place(row, lane);
    Index left = i > 0 ? place(row - 1, lane - 1) : own, above = j > 0 ? place(row - 1, lane - Tile::lanes_u) : own;
    if (i == 0 && tile % a.tiles_u > 0)
      left = place(Index(row) - a.blocks_m + Tile::lanes_u - 1, lane + Tile::lanes_u - 1);
    if (j == 0 && tile / a.tiles_u > 0)
      above = place(Index(row) - Index(a.tiles_u) * a.blocks_m + Tile::lanes_v - 1,
                    lane + (Tile::lanes_v - 1) * Tile::lanes_u);
    Real r[cells], before[cells], cu[cells], cv[cells], cm[cells], scale[cells];
    load(a.r, own, r);
    load(a.r, place(Index(row) - 1, lane), before);
    load(a.coefficient[0], own, cu);
    if constexpr (Tile::dims == 3) load(a.coefficient[1], own, cv);
    load(a.coefficient[2], own, cm);
    load(a.scale, own, scale);
#pragma unroll
    for (int c = 0; c < cells; ++c) {
      const int u = c % bu, v = c / bu % bv, m = c / (bu * bv);
      Real sum = r[c];
      if (u > 0) sum += cu[c] * r[u > 0 ? c - 1 : 0];
      else sum += cu[c] * a.r[left + Tile::template slot<Real>(0, Tile::far_u(v + bv * m))];
      if constexpr (Tile::dims == 3) {
        if (v > 0) sum += cv[c] * r[v > 0 ? c - bu : 0];
        else sum += cv[c] * a.r[above + Tile::template slot<Real>(0, Tile::far_v(u + bu * m))];
      }
      sum += cm[c] * (m > 0 ? r[m > 0 ? c - bu * bv : 0] : before[u + bu * (v + bv * (bm - 1))]);
      const double unscaled = double(sum) * double(reciprocal(scale[c]));
      sums.first += unscaled * unscaled;
      sums.second += double(r[c]) * double(r[c]);
    }
  }
  Sums total;
  if (sum_over_grid(sums, a.partial, a.arrived, total)) a.state->take_update(total.first, total.second);
}

}  // namespace terrace::cuda::grid
