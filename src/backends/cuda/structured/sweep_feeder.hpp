// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The feeder of a sweep (sweep.hpp): keeps the copy engine busy with the rows to come.
#pragma once

#include "backends/cuda/structured/sweep_party.hpp"

namespace terrace::cuda::grid {

template <class Real, class Tile, class Work, bool Backward>
class SweepFeeder : SweepParty<Real, Tile, Work, Backward> {
  using Party = SweepParty<Real, Tile, Work, Backward>;
  using Party::a_, Party::s_, Party::chunks_;
  using Party::streams, Party::chunk, Party::stages;
  using typename Party::Tuning;

 public:
  __device__ explicit SweepFeeder(const Party& party) : Party(party) {}

  __device__ void feed() {
    const int early = chunks_ < stages ? chunks_ : stages;
    for (int k = 0; k < early; ++k) {
      barrier_expect(&s_.rows_in[k], (streams - brought) * bytes);
      copy(row(k), k, lasting, streams);
    }
    await_predecessor();
    let_successor_begin();
    for (int k = 0; k < early; ++k) copy(row(k), k, brought, lasting);
    int stage = 0;
    unsigned parity = 0;
    for (int k = stages; k < chunks_; ++k) {
      while (!barrier_passed(&s_.rows_out[stage], parity)) __nanosleep(Tuning::feeder_rest);
      barrier_expect(&s_.rows_in[stage], (streams - brought) * bytes);
      copy(row(k), stage, brought, streams);
      if (++stage == stages) stage = 0, parity ^= 1;
    }
  }

 private:
  static constexpr int brought = Work::enters ? 1 : 0;  // by couriers
  static constexpr int lasting = Work::inputs;          // from here on, streams that no sweep writes
  static constexpr std::uint32_t bytes = chunk * Tile::row * sizeof(Real);

  __device__ Index row(int k) const {
    return this->first_row() + (Backward ? a_.blocks_m + Tile::skew - (k + 1) * chunk : k * chunk);
  }

  __device__ void copy(Index row, int stage, int begin, int end) const {
#pragma unroll
    for (int stream = 0; stream < streams; ++stream)
      if (stream >= begin && stream < end)
        copy_in_bulk(s_.rows[stage][stream], source(stream) + row * Tile::row, bytes, &s_.rows_in[stage]);
  }

  __device__ const Real* source(int stream) const {
    if (stream < Work::inputs) return a_.in[stream] + this->column_;
    const int axis = stream - Work::inputs;
    return a_.coefficient[Tile::dims == 2 && axis == 1 ? 2 : axis];
  }
};

}  // namespace terrace::cuda::grid
