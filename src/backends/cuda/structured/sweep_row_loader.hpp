// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The row loader of a sweep (sweep.hpp): keeps the copy engine busy with the rows to come.
#pragma once

#include "backends/cuda/structured/sweep_role.hpp"

namespace terrace::cuda::grid {

template <class Real, class Tile, class Work, bool Backward>
class SweepRowLoader : SweepRole<Real, Tile, Work, Backward> {
  using Role = SweepRole<Real, Tile, Work, Backward>;
  using Role::a_, Role::s_, Role::chunks_;
  using Role::streams, Role::chunk, Role::stages;
  using typename Role::Tuning;

 public:
  __device__ explicit SweepRowLoader(const Role& role) : Role(role) {}

  __device__ void feed() {
    const int early = chunks_ < stages ? chunks_ : stages;
    for (int k = 0; k < early; ++k) {
      announce(&s_.rows_in[k], (streams - brought) * bytes);
      copy(row(k), k, lasting, streams);
    }
    await_predecessor();
    let_successor_begin();
    for (int k = 0; k < early; ++k) {
      copy(row(k), k, brought, lasting);
      all_copies_asked_for(&s_.rows_in[k]);
    }
    int stage = 0;
    unsigned parity = 0;
    for (int k = stages; k < chunks_; ++k) {
      while (!has_ended(&s_.rows_out[stage], parity)) __nanosleep(Tuning::row_loader_rest);
      announce(&s_.rows_in[stage], (streams - brought) * bytes);
      copy(row(k), stage, brought, streams);
      all_copies_asked_for(&s_.rows_in[stage]);
      if (++stage == stages) stage = 0, parity ^= 1;
    }
  }

 private:
  static constexpr int brought = Work::enters ? 1 : 0;  // by transfer warps
  static constexpr int lasting = Work::inputs;          // from here on, streams that no sweep writes
  static constexpr std::uint32_t bytes = chunk * Tile::row * sizeof(Real);

  __device__ Index row(int k) const {
    return this->first_row() + (Backward ? a_.blocks_m + Tile::skew - (k + 1) * chunk : k * chunk);
  }

  __device__ void copy(Index row, int stage, int begin, int end) const {
#pragma unroll
    for (int stream = 0; stream < streams; ++stream)
      if (stream >= begin && stream < end)
        copy_bulk(s_.rows[stage][stream], source(stream) + row * Tile::row, bytes, &s_.rows_in[stage]);
  }

  __device__ const Real* source(int stream) const {
    if (stream < Work::inputs) return a_.in[stream] + this->column_;
    const int axis = stream - Work::inputs;
    return a_.coefficient[Tile::dims == 2 && axis == 1 ? 2 : axis];
  }
};

}  // namespace terrace::cuda::grid
