// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The feeder of a sweep (sweep.hpp): keeps the copy engine busy with the rows to come.
#pragma once

#include "backends/cuda/structured/sweep_party.hpp"

namespace terrace::cuda::grid {

template <class Real, class Tile, class Work, bool Backward>
class SweepFeeder : SweepParty<Real, Tile, Work, Backward> {
  using Party = SweepParty<Real, Tile, Work, Backward>;
  using Party::a_, Party::s_, Party::lane_, Party::tile_, Party::chunks_, Party::has_left_, Party::has_above_;
  using Party::streams, Party::chunk, Party::stages;
  using typename Party::Tuning;

 public:
  __device__ explicit SweepFeeder(const Party& party) : Party(party) {}

  __device__ void feed() {
    const Index first = this->first_row() + (Backward ? a_.blocks_m + Tile::skew - chunk : 0);
    int stage = 0;
    unsigned parity = 1;
    for (int k = 0; k < chunks_; ++k) {
      while (k >= stages && !barrier_passed(&s_.rows_out[stage], parity)) __nanosleep(Tuning::feeder_rest);
      constexpr std::uint32_t bytes = chunk * Tile::row * sizeof(Real);
      barrier_expect(&s_.rows_in[stage], (streams - brought) * bytes);
      const Index at = (first + (Backward ? -chunk : chunk) * Index(k)) * Tile::row;
#pragma unroll
      for (int stream = brought; stream < streams; ++stream)
        copy_in_bulk(s_.rows[stage][stream], source(stream) + at, bytes, &s_.rows_in[stage]);
      if (++stage == stages) stage = 0, parity ^= 1;
    }
  }

 private:
  static constexpr int brought = Work::enters ? 1 : 0;  // by couriers

  __device__ const Real* source(int stream) const {
    if (stream < Work::inputs) return a_.in[stream];
    const int axis = stream - Work::inputs;
    return a_.coefficient[Tile::dims == 2 && axis == 1 ? 2 : axis];
  }
};

}  // namespace terrace::cuda::grid
