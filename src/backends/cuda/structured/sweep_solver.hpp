// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The solver of a sweep (sweep.hpp): one step per row, in straight-line code a chunk at a time.
#pragma once

#include "backends/cuda/structured/sweep_role.hpp"

namespace terrace::cuda::grid {

template <class Real, class Tile, class Work, bool Backward>
class SweepSolver : SweepRole<Real, Tile, Work, Backward> {
  using Role = SweepRole<Real, Tile, Work, Backward>;
  using Role::a_, Role::s_, Role::lane_, Role::tile_, Role::chunks_, Role::has_left_, Role::has_above_;
  using Role::handoff, Role::handoffs, Role::column_;
  using Role::streams, Role::cells, Role::chunk, Role::stages, Role::slots, Role::edge;
  static constexpr int across_u = Tile::across_u, across_v = Tile::across_v;

 public:
  __device__ explicit SweepSolver(const Role& role) : Role(role) {}

  __device__ void solve() {
    i_ = lane_ % Tile::lanes_u;
    j_ = lane_ / Tile::lanes_u;
    publishes_u_ = i_ == Tile::lanes_u - 1 && tile_ % a_.tiles_u < a_.tiles_u - 1;
    publishes_v_ = j_ == Tile::lanes_v - 1 && tile_ / a_.tiles_u < a_.tiles_v - 1;
    awaits_edges_ = has_left_ || has_above_;
    factor_ = static_cast<Real>(Work::coefficient(a_.state));
    const Index row = this->first_row() + (Backward ? a_.blocks_m + Tile::skew - 1 : 0);
#pragma unroll
    for (int k = 0; k < Work::outputs; ++k)
      out_[k] = a_.out[k] + column_ + row * Tile::row +
                Tile::template slot<Real>(Backward ? warp_size - 1 - lane_ : lane_, 0);
    far_u_ = this->edge_of(tile_, 0) + j_ * across_u;
    far_v_ = this->edge_of(tile_, 0) + Tile::edge_u + i_ * across_v;
#pragma unroll
    for (int c = 0; c < cells; ++c) last_[c] = Real(0);
    int stage = 0;
    unsigned parity = 0;
    bool ready = false;
    Place place = place_of(0, 0);
    for (int k = 0; k < chunks_; ++k) {
      if (!ready) {
        while (!is_ready(k, stage, parity)) {
        }
        load(place, 0, next_);
      }
      const int left = stage;
      if (++stage == stages) stage = 0, parity ^= 1;
      const Place after = place_of(k + 1, stage);
      if (k * chunk > Tile::skew && (k + 1) * chunk <= a_.blocks_m)
        ready = walk_chunk<true>(k, place, after, stage, parity);
      else ready = walk_chunk<false>(k, place, after, stage, parity);
      leave_chunk(k, left);
      place = after;
    }
    if constexpr (Work::sums) close_sum();
  }

 private:
  /// What a step takes from shared memory; loaded a step ahead.
  struct Inputs {
    Real stream[streams][cells];
    Real u[across_u], v[across_v];
  };
  /// Where this lane finds the inputs of a chunk.
  struct Place {
    const Real *rows, *edges_u, *edges_v;
    Real* leaving;
  };

  __device__ Place place_of(int k, int stage) const {
    const Real* edges = s_.edges[unsigned(k) % slots][0];
    const int slot = Tile::template slot<Real>(Backward ? warp_size - 1 - lane_ : lane_, 0);
    return {&s_.rows[stage][0][0][slot], edges + j_ * across_u, edges + Tile::edge_u + i_ * across_v,
            Work::leaves ? &s_.leaving[stage][0][slot] : nullptr};
  }

  /// All that is asked for is asked for at once, since each answer takes its time.
  __device__ bool is_ready(int k, int stage, unsigned parity) const {
    const bool rows = has_ended(&s_.rows_in[stage], parity);
    const bool edges = has_edges(k * chunk);
    const bool capacity = !Work::leaves || has_ended(&s_.left[stage], parity ^ 1);
    return rows & capacity & edges;
  }

  /// Whether the edge loader has brought the edges of the steps from this one to the next handoff.
  __device__ bool has_edges(int step) const {
    const unsigned k = unsigned(step) / handoff;
    return has_ended(&s_.edges_in[k % handoffs], k / handoffs & 1) | !awaits_edges_;
  }

  __device__ void leave_chunk(int k, int stage) {
    __syncwarp();
    arrive_if(lane_ == 0, &s_.edges_out[unsigned(k) % slots]);
    arrive_if(lane_ == 0, &s_.rows_out[stage]);
    if constexpr (Work::leaves) arrive_if(lane_ == 0, &s_.solved[stage]);
#pragma unroll
    for (int o = 0; o < Work::outputs; ++o) out_[o] += (Backward ? -chunk : chunk) * Tile::row;
    far_u_ += chunk * edge;
    far_v_ += chunk * edge;
  }

  /// The steps of a chunk, whose rows and edges are there: straight-line code. A lane that has not begun or has run out
  /// computes with what it finds, which nobody uses; `Inside` says that there is none. Whether the next chunk may begin
  /// is asked before the last step; its first inputs are loaded in any case, and are worth something if it may. So it
  /// is with the edges that are handed on between.
  template <bool Inside>
  __device__ bool walk_chunk(int k, const Place& place, const Place& after, int next_stage, unsigned next_parity) {
    bool ready = false;
#pragma unroll
    for (int s = 0; s < chunk; ++s) {
      const Inputs inputs = next_;
      const int block = k * chunk + s - i_ - j_;  // along m
      const bool active = Inside || unsigned(block) < unsigned(a_.blocks_m);
      Real in_u[across_u], in_v[across_v], side[cells], rest[cells], y[cells];
      receive(inputs, in_u, in_v);
#pragma unroll
      for (int c = 0; c < cells; ++c) last_[c] = !Inside && block == 0 ? Real(0) : last_[c];
      const bool between = s + 1 < chunk && (s + 1) % handoff == 0;
      if (between) ready = has_edges(k * chunk + s + 1);
      if (s + 1 < chunk) {
        load(place, s + 1, next_);
      } else {
        ready = is_ready(k + 1, next_stage, next_parity);
        load(after, 0, next_);
      }
      substitute(inputs, in_u, in_v, side, rest, y);
#pragma unroll
      for (int c = 0; c < cells; ++c) last_[c] = y[c];
      publish_edges(active, s * edge);
      store(active, place, s, inputs, side, rest, y);
      if (between && !ready) {
        while (!has_edges(k * chunk + s + 1)) {
        }
        load(place, s + 1, next_);
      }
    }
    return ready;
  }

  __device__ static void load(const Place& place, int s, Inputs& to) {
    constexpr int vector = Tile::template vector<Real>;
#pragma unroll
    for (int stream = 0; stream < streams; ++stream)
#pragma unroll
      for (int c = 0; c < cells; c += vector) {
        const int at = (stream * chunk + (Backward ? chunk - 1 - s : s)) * Tile::row + Tile::template slot<Real>(0, c);
        const auto loaded = *reinterpret_cast<const ShortVector<Real, vector>*>(place.rows + at);
#pragma unroll
        for (int w = 0; w < vector; ++w) to.stream[stream][mirrored(c + w)] = loaded.value[w];
      }
#pragma unroll
    for (int e = 0; e < across_u; ++e) to.u[e] = place.edges_u[s * edge + e];
    if constexpr (Tile::dims == 3) {
#pragma unroll
      for (int e = 0; e < across_v; ++e) to.v[e] = place.edges_v[s * edge + e];
    }
  }

  __device__ static constexpr int mirrored(int c) { return Backward ? cells - 1 - c : c; }

  __device__ void receive(const Inputs& inputs, Real (&in_u)[across_u], Real (&in_v)[across_v]) const {
    if constexpr (Tile::dims == 3) {
#pragma unroll
      for (int e = 0; e < across_v; ++e) {
        const Real value = __shfl_up_sync(all_lanes, last_[Tile::far_v(e)], Tile::lanes_u);
        in_v[e] = j_ == 0 ? inputs.v[e] : value;
      }
    }
#pragma unroll
    for (int e = 0; e < across_u; ++e) {
      const Real value = __shfl_up_sync(all_lanes, last_[Tile::far_u(e)], 1);
      in_u[e] = i_ == 0 ? inputs.u[e] : value;
    }
  }

  /// What is known first is subtracted first: the step before, then the shuffled neighbours, then the block's own.
  __device__ void substitute(const Inputs& inputs, const Real (&in_u)[across_u], const Real (&in_v)[across_v],
                             Real (&side)[cells], Real (&rest)[cells], Real (&y)[cells]) const {
    constexpr int bu = Tile::block_u, bv = Tile::block_v, bm = Tile::block_m;
    const auto& cu = inputs.stream[Work::inputs];
    const auto& cv = inputs.stream[Work::inputs + 1];
    const auto& cm = inputs.stream[Work::inputs + Tile::dims - 1];
#pragma unroll
    for (int c = 0; c < cells; ++c) {
      const int u = c % bu, v = c / bu % bv, m = c / (bu * bv);
      Real in[Work::inputs];
#pragma unroll
      for (int k = 0; k < Work::inputs; ++k) in[k] = inputs.stream[k][c];
      side[c] = Work::right_side(in, factor_);
      Real sum = side[c];
      if (m == 0) sum = fma(-cm[c], last_[u + bu * (v + bv * (bm - 1))], sum);
      if (Tile::dims == 3 && v == 0) sum = fma(-cv[c], in_v[u + bu * m], sum);
      if (u == 0) sum = fma(-cu[c], in_u[v + bv * m], sum);
      if (m > 0) sum = fma(-cm[c], y[m > 0 ? c - bu * bv : 0], sum);
      if (Tile::dims == 3 && v > 0) sum = fma(-cv[c], y[v > 0 ? c - bu : 0], sum);
      if (u > 0) sum = fma(-cu[c], y[u > 0 ? c - 1 : 0], sum);
      rest[c] = sum;
      y[c] = Work::unknown(side[c], sum);
    }
  }

  __device__ void publish_edges(bool active, int at) const {
    Real far[across_u];
#pragma unroll
    for (int e = 0; e < across_u; ++e) far[e] = last_[Tile::far_u(e)];
    publish_run_if(active && publishes_u_, far_u_ + at, far);
    if constexpr (Tile::dims == 3) {
      Real far[across_v];
#pragma unroll
      for (int e = 0; e < across_v; ++e) far[e] = last_[Tile::far_v(e)];
      publish_run_if(active && publishes_v_, far_v_ + at, far);
    }
  }

  __device__ void store(bool active, const Place& place, int s, const Inputs& inputs, const Real (&side)[cells],
                        const Real (&rest)[cells], const Real (&y)[cells]) {
    constexpr int vector = Tile::template vector<Real>;
    Real out[Work::outputs][cells];
#pragma unroll
    for (int c = 0; c < cells; ++c) {
      Real in[Work::inputs], emitted[Work::outputs];
#pragma unroll
      for (int k = 0; k < Work::inputs; ++k) in[k] = inputs.stream[k][c];
      const double term = Work::emit(in, side[c], rest[c], y[c], emitted);
      if constexpr (Work::sums) sum_ += active ? term : 0.0;
#pragma unroll
      for (int k = 0; k < Work::outputs; ++k) out[k][mirrored(c)] = emitted[k];
    }
    if (!active) return;
#pragma unroll
    for (int k = 0; k < Work::outputs; ++k) {
      Real* const to = Work::leaves ? place.leaving + (Backward ? chunk - 1 - s : s) * Tile::row
                                    : out_[k] + (Backward ? -s : s) * Tile::row;
#pragma unroll
      for (int c = 0; c < cells; c += vector) {
        ShortVector<Real, vector> stored;
#pragma unroll
        for (int w = 0; w < vector; ++w) stored.value[w] = out[k][c + w];
        *reinterpret_cast<ShortVector<Real, vector>*>(to + Tile::template slot<Real>(0, c)) = stored;
      }
    }
  }

  /// The lanes' sums in the order of lanes, the tiles' in the order of tiles, by whichever tile is last.
  __device__ void close_sum() {
    const int tiles = a_.tiles_u * a_.tiles_v;
    double sum = sum_over_warp(sum_);
    unsigned rank = 0;
    if (lane_ == 0) {
      a_.partial[tile_] = sum;
      __threadfence();
      rank = atomicInc(a_.claimed + 1, unsigned(tiles - 1));
    }
    if (__shfl_sync(all_lanes, rank, 0) != unsigned(tiles - 1)) return;
    __threadfence();
    sum = 0.0;
#pragma unroll 8
    for (int k = lane_; k < tiles; k += warp_size) sum += __ldcg(a_.partial + k);
    sum = sum_over_warp(sum);
    if (lane_ == 0) Work::close(a_.state, sum);
  }

  __device__ static double sum_over_warp(double sum) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(all_lanes, sum, offset);
    return sum;
  }

  int i_, j_;  // the lane's place in the tile
  bool awaits_edges_, publishes_u_, publishes_v_;
  Real factor_;
  double sum_ = 0.0;
  Real last_[cells];  // y of the step before
  Inputs next_;
  Real *out_[Work::outputs], *far_u_, *far_v_;
};

}  // namespace terrace::cuda::grid
