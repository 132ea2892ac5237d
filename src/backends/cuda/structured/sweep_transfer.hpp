// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transfer warps of a sweep (sweep.hpp): bring the caller's vector into the tile's rows, or what was solved out to
// it, scaled on the way, so that no kernels and no passes over memory stand before and behind the sweeps.
//
// Transfer w of a block takes line w of the lanes' blocks, a run of block_u cells in each step. Neighbouring lanes own
// neighbouring runs and are a step apart. When runs are read, the rest of their sectors stays in the cache for the
// steps to come. When they are written, every lane delays its run until the lanes side by side meet in one line of
// memory: sectors that are written by halves cost a sweep half its time. What does not depend on the sweep is fetched
// two chunks ahead.
#pragma once

#include "backends/cuda/structured/sweep_role.hpp"

namespace terrace::cuda::grid {

/// Gives back what was put in `delay` steps before, at most Most; zero in the beginning.
template <class T, int Most>
class DelayLine {
 public:
  __device__ explicit DelayLine(int delay) : delay_(delay) {}
  __device__ T pass(const T& now) {
    T out = now;
#pragma unroll
    for (int k = 0; k < Most; ++k)
      if (delay_ == k + 1) out = kept_[k];
#pragma unroll
    for (int k = Most - 1; k > 0; --k) kept_[k] = kept_[k - 1];
    kept_[0] = now;
    return out;
  }
  __device__ int delay() const { return delay_; }

 private:
  int delay_;
  T kept_[Most] = {};
};

template <class Real, class Tile, class Work, bool Backward>
class SweepTransfer : SweepRole<Real, Tile, Work, Backward> {
  using Role = SweepRole<Real, Tile, Work, Backward>;
  using Role::a_, Role::s_, Role::lane_, Role::tile_, Role::chunks_;
  using Role::chunk, Role::stages, Role::transfers;
  static constexpr int run = Tile::block_u, ahead = 2;  // cells, chunks
  static constexpr unsigned rest = 20;                  // ns between two looks
  static_assert(transfers == Tile::block_v && Tile::template vector<Real> % run == 0 && Tile::block_m == 1);
  using Run = ShortVector<Real, run>;

  /// What is known of a chunk before its time.
  struct Load {
    Run value[chunk], scale[chunk];
  };

 public:
  __device__ explicit SweepTransfer(const Role& role)
      : Role(role),
        natural_(a_.natural),
        in_(natural_.in + s_.column * natural_.in_column),
        out_(natural_.out + s_.column * natural_.out_column),
        line_(Backward ? lane_ % Tile::lanes_u : Tile::lanes_u - 1 - lane_ % Tile::lanes_u) {
    const SkewedGrid& grid = natural_.grid;
    const int i = lane_ % Tile::lanes_u, j = lane_ / Tile::lanes_u;
    const int tile = Backward ? grid.tiles() - 1 - tile_ : tile_;
    const int u = tile % grid.tiles_u * Tile::size_u + i * Tile::block_u;
    const int v = tile / grid.tiles_u * Tile::size_v + j * Tile::block_v;
    const int of_block = static_cast<int>(threadIdx.x) / warp_size - 3;
    behind_ = i + j;
    width_ = v + of_block < grid.n[1] ? min(run, grid.n[0] - u) : 0;
    first_ = u * grid.stride[0] + (v + of_block) * grid.stride[1];
    slot_ = Tile::template slot<Real>(lane_, of_block * run);
    const Index stride = Work::enters ? natural_.in_stride : natural_.out_stride;
    const auto address = reinterpret_cast<std::uintptr_t>(Work::enters ? in_ : out_);
    in_runs_ = grid.stride[0] * stride == 1 && grid.n[0] % run == 0 && address % sizeof(Run) == 0 &&
               grid.stride[1] % run == 0 && grid.stride[2] % run == 0;
  }

  __device__ void carry() {
    Load loads[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) fetch(k, loads[k]);
    for (int first = 0; first < chunks_; first += ahead)
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        if (first + k >= chunks_) break;
        if constexpr (Work::enters) enter(loads[k]);
        else leave(first + k, loads[k]);
        fetch(first + k + ahead, loads[k]);
        if (++stage_ == stages) stage_ = 0, parity_ ^= 1;
      }
    if constexpr (Work::leaves)
      for (int s = 0; s < Tile::lanes_u - 1; ++s) write(block(chunks_, s - line_.delay()), line_.pass({}));
  }

 private:
  /// Where this lane is along m in a step of a chunk; outside of the tile in its head and tail.
  __device__ int block(int k, int s) const {
    const int step = k * chunk + s;
    return (Backward ? a_.blocks_m + Tile::skew - 1 - step : step) - behind_;
  }
  __device__ bool is_inside(int block) const { return unsigned(block) < unsigned(a_.blocks_m); }

  __device__ void fetch(int k, Load& to) const {
#pragma unroll
    for (int s = 0; s < chunk; ++s) {
#pragma unroll
      for (int e = 0; e < run; ++e) to.value[s].value[e] = Real(0), to.scale[s].value[e] = Real(1);
      const int m = block(k, s);
      if (!is_inside(m)) continue;
      if constexpr (Work::enters) to.value[s] = read(m);
      if (natural_.scale)
        to.scale[s] =
            *reinterpret_cast<const Run*>(natural_.scale + (this->first_row() + m + behind_) * Tile::row + slot_);
    }
  }

  __device__ void enter(const Load& load) {
    Run scaled[chunk];
#pragma unroll
    for (int s = 0; s < chunk; ++s) scaled[s] = product(load.value[s], load.scale[s]);
    while (!has_ended(&s_.rows_out[stage_], parity_ ^ 1)) __nanosleep(rest);
#pragma unroll
    for (int s = 0; s < chunk; ++s)
      *reinterpret_cast<Run*>(&s_.rows[stage_][0][Backward ? chunk - 1 - s : s][slot_]) = scaled[s];
    __syncwarp();
    arrive_if(lane_ == 0, &s_.rows_in[stage_]);
  }

  __device__ void leave(int k, const Load& load) {
    while (!has_ended(&s_.solved[stage_], parity_)) __nanosleep(rest);
    Run found[chunk];
#pragma unroll
    for (int s = 0; s < chunk; ++s)
      found[s] = *reinterpret_cast<const Run*>(&s_.leaving[stage_][Backward ? chunk - 1 - s : s][slot_]);
    __syncwarp();
    arrive_if(lane_ == 0, &s_.left[stage_]);
#pragma unroll
    for (int s = 0; s < chunk; ++s) write(block(k, s - line_.delay()), line_.pass(product(found[s], load.scale[s])));
  }

  __device__ static Run product(const Run& a, const Run& b) {
    Run c;
#pragma unroll
    for (int e = 0; e < run; ++e) c.value[e] = a.value[e] * b.value[e];
    return c;
  }

  __device__ Run read(int m) const {
    const Index at = first_ + m * natural_.grid.stride[2];
    Run found{};
    if (in_runs_) {
      if (width_ > 0) found = *reinterpret_cast<const Run*>(in_ + at);
    } else {
#pragma unroll
      for (int e = 0; e < run; ++e)
        if (e < width_) found.value[e] = in_[(at + e * natural_.grid.stride[0]) * natural_.in_stride];
    }
    return found;
  }

  __device__ void write(int m, const Run& values) const {
    if (!is_inside(m)) return;
    const Index at = first_ + m * natural_.grid.stride[2];
    if (in_runs_) {
      if (width_ > 0) *reinterpret_cast<Run*>(out_ + at) = values;
    } else {
#pragma unroll
      for (int e = 0; e < run; ++e)
        if (e < width_) out_[(at + e * natural_.grid.stride[0]) * natural_.out_stride] = values.value[e];
    }
  }

  const NaturalVectors<Real>& natural_;
  const Real* in_;
  Real* out_;
  int behind_, width_;                      // steps behind lane 0; cells of a run that lie in the grid
  bool in_runs_;                            // the caller's runs are aligned and contiguous
  DelayLine<Run, Tile::lanes_u - 1> line_;  // of what leaves: until the last lane along u has come as far
  int slot_, stage_ = 0;
  unsigned parity_ = 0;
  Index first_;
};

}  // namespace terrace::cuda::grid
