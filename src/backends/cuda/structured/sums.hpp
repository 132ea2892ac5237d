// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over a grid of thread blocks whose bits depend on the lengths alone: every block sums its share in a fixed
// order, and the block that finishes last adds the blocks' sums in the order of blocks.
#pragma once

#include "backends/cuda/structured/tuning.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda::grid {

/// Two sums at once.
struct Sums {
  double first = 0.0, second = 0.0;
};

/// The sums over a block, in thread 0.
__device__ inline Sums sum_over_block(Sums sums) {
  __shared__ Sums warps[SumTuning::block / warp_size];
#pragma unroll
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    sums.first += __shfl_xor_sync(all_lanes, sums.first, offset);
    sums.second += __shfl_xor_sync(all_lanes, sums.second, offset);
  }
  __syncthreads();
  if (threadIdx.x % warp_size == 0) warps[threadIdx.x / warp_size] = sums;
  __syncthreads();
  sums = {};
  if (threadIdx.x == 0)
    for (const Sums& warp : warps) sums.first += warp.first, sums.second += warp.second;
  return sums;
}

/// True in thread 0 of the last block to arrive, for which `total` then is the sum over all blocks. `partial` has
/// capacity for one number each per block, `arrived` is zero and will be again.
__device__ inline bool sum_over_grid(const Sums& sums, Sums* partial, unsigned* arrived, Sums& total) {
  __shared__ bool is_last;
  const Sums mine = sum_over_block(sums);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = mine;
    __threadfence();
    is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return false;
  __threadfence();
  Sums all;
  for (unsigned k = threadIdx.x; k < gridDim.x; k += SumTuning::block) {
    all.first += __ldcg(&partial[k].first);
    all.second += __ldcg(&partial[k].second);
  }
  total = sum_over_block(all);
  return threadIdx.x == 0;
}

}  // namespace terrace::cuda::grid
