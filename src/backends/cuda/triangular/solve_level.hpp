// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One wide level in a kernel of its own (Naumov, NVR-2011-001, algorithm 2): nobody waits, and the plain order of the
// hardware hides the latency of memory. For levels so wide that a launch costs little beside them.
#pragma once

#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda::triangular {

/// Unknowns of earlier levels, all there.
template <class Scalar>
class SolvedUnknowns {
 public:
  __device__ explicit SolvedUnknowns(const Scalar* unknowns) : unknowns_(unknowns) {}

  template <int Count>
  __device__ void wait_for(const int* position, Scalar (&found)[Count]) const {
#pragma unroll
    for (int w = 0; w < Count; ++w) found[w] = position[w] >= 0 ? unknowns_[position[w]] : Scalar(0);
  }

 private:
  const Scalar* unknowns_;
};

template <class System>
__global__ void __launch_bounds__(LevelKernelTuning::block)
    solve_level_kernel(System system, unsigned first, unsigned end) {
  using Scalar = typename System::Scalar;
  const int lane = static_cast<int>(threadIdx.x % warp_size);
  const unsigned number = first + blockIdx.x * (blockDim.x / warp_size) + threadIdx.x / warp_size;
  if (number >= end) return;
  const Slice slice = system.slices[number];
  const int log2_lanes = slice.log2_lanes(), depth = slice.depth(), position = slice.first + (lane >> log2_lanes);
  const bool leads = lane < slice.width() && (lane & ((1 << log2_lanes) - 1)) == 0;
  const int item = leads ? system.items[position] : -1;
  Scalar sum = leads ? system.start(item, position) : Scalar(0);
  const auto row_data = leads ? system.row_data(position) : typename System::RowData{};
  const SolvedUnknowns<Scalar> unknowns(system.unknowns);
  for (int step = 0; step < depth; step += SliceChunk<System>::size) {
    SliceChunk<System> chunk;
    load_chunk(system, slice, step, lane, chunk);
    subtract<SliceChunk<System>::size>(system, chunk, unknowns, sum);
  }
  sum = sum_over_lanes(sum, log2_lanes);
  if (!leads) return;
  const Scalar solved = system.solved(item, sum, row_data);
  system.unknowns[position] = solved;
  system.store(item, solved);
}

}  // namespace terrace::cuda::triangular
