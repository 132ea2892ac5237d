// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The edge loader of a sweep (sweep.hpp): carries the edges of the tiles before from device memory to the solver's
// slots.
#pragma once

#include "backends/cuda/structured/sweep_role.hpp"

namespace terrace::cuda::grid {

template <class Real, class Tile, class Work, bool Backward>
class SweepEdgeLoader : SweepRole<Real, Tile, Work, Backward> {
  using Role = SweepRole<Real, Tile, Work, Backward>;
  using Role::a_, Role::s_, Role::lane_, Role::tile_, Role::chunks_, Role::has_left_, Role::has_above_;
  using Role::chunk, Role::slots, Role::edge, Role::handoff, Role::handoffs;
  using typename Role::Tuning;

 public:
  __device__ explicit SweepEdgeLoader(const Role& role) : Role(role) {}

  /// Looks for a window of steps at once, and passes on those whose edges are complete. Since an edge is a power of
  /// two, a lane meets the same entries in every window, at addresses that move on by as many values as steps.
  __device__ void carry() {
    constexpr int looks = Tuning::looks, window = looks * warp_size / edge;
    constexpr int kinds = edge > warp_size ? edge / warp_size : 1;
    Real* from[kinds];
    int behind[kinds];
    bool wanted[kinds];
#pragma unroll
    for (int k = 0; k < kinds; ++k) wanted[k] = locate((k * warp_size + lane_) % edge, from[k], behind[k]);
    const int ahead = lane_ / edge, steps = chunks_ * chunk;
    await_predecessor();        // which may use the same cells
    unsigned capacity = slots;  // chunks that have been or may be brought
    for (int base = 0; base < steps;) {
      for (; base + window > static_cast<int>(capacity) * chunk; ++capacity)
        while (!has_ended(&s_.edges_out[capacity % slots], capacity / slots - 1 & 1)) {
        }
      Real found[looks];
      bool looked[looks];
#pragma unroll
      for (int k = 0; k < looks; ++k) {
        const int step = base + k * warp_size / edge + ahead;
        looked[k] = wanted[k % kinds] && unsigned(step - behind[k % kinds]) < unsigned(a_.blocks_m);
        found[k] = Real(0);
        watch_if(looked[k], from[k % kinds] + base * edge + k / kinds * kinds * warp_size, found[k]);
      }
      int complete = looks * warp_size;
#pragma unroll
      for (int k = looks - 1; k >= 0; --k) {
        const unsigned missing = __ballot_sync(all_lanes, is_awaited(found[k]));
        if (missing) complete = k * warp_size + __ffs(missing) - 1;
      }
      complete /= edge;
      if (complete == 0) continue;
#pragma unroll
      for (int k = 0; k < looks; ++k) {
        const bool taken = looked[k] && k * warp_size + lane_ < complete * edge;
        if (taken) s_.edges[0][0][(base * edge + k * warp_size + lane_) % (slots * chunk * edge)] = found[k];
        publish_if(taken, from[k % kinds] + base * edge + k / kinds * kinds * warp_size, awaited<Real>());
      }
      __syncwarp();
      if (lane_ == 0)
        for (int k = base / handoff; k < (base + complete) / handoff; ++k) arrive(&s_.edges_in[k % handoffs]);
      base += complete;
    }
  }

 private:
  /// Where the tile before publishes entry e of the edges for this lane's first look, and how many steps behind the
  /// tile the lane is which uses it; false if no tile is there.
  __device__ bool locate(int e, Real*& from, int& behind) const {
    const bool in_u = e < Tile::edge_u;
    behind = in_u ? e / Tile::across_u : (e - Tile::edge_u) / Tile::across_v;
    const int before = in_u ? tile_ - 1 : tile_ - a_.tiles_u;
    from = this->edge_of(before, lane_ / edge + (in_u ? Tile::lanes_u : Tile::lanes_v) - 1) + e;
    return e < Tile::edge_u + Tile::edge_v && (in_u ? has_left_ : has_above_);
  }
};

}  // namespace terrace::cuda::grid
