// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over a block, and over the blocks that share a column. Their bits depend on the number of blocks alone: each
// sums in a fixed order, and the one that comes last adds up what the others left, in the order of blocks.
#pragma once

#include "algorithms/krylov/each_column.hpp"
#include "backends/cuda/krylov/tuning.hpp"
#include "backends/cuda/lanes.hpp"

namespace terrace::cuda::krylov {

inline constexpr int log2_warp_size = 5;

/// In thread 0. `memory` holds a number for each warp and sum.
template <class Scalar, int N>
__device__ terrace::krylov::Sums<Scalar, N> sum_over_block(terrace::krylov::Sums<Scalar, N> sums, Scalar* memory) {
  constexpr int warps = KrylovTuning::block / warp_size;
#pragma unroll
  for (int k = 0; k < N; ++k) sums.of[k] = sum_over_lanes(sums.of[k], log2_warp_size);
  __syncthreads();  // the memory may still be read
  if (threadIdx.x % warp_size == 0)
    for (int k = 0; k < N; ++k) memory[k * warps + threadIdx.x / warp_size] = sums.of[k];
  __syncthreads();
  terrace::krylov::Sums<Scalar, N> all;
  if (threadIdx.x == 0)
    for (int k = 0; k < N; ++k)
      for (int warp = 0; warp < warps; ++warp) all.of[k] += memory[k * warps + warp];
  return all;
}

/// Called by whole blocks. The last of `parts` blocks to come calls conclude(total) in one thread.
template <class Scalar, int N, class Conclude>
__device__ void contribute(const terrace::krylov::Gathering<Scalar>& gathering, int column, int part, int parts,
                           const terrace::krylov::Sums<Scalar, N>& sums, const Conclude& conclude) {
  __shared__ __align__(16) unsigned char bytes[2 * KrylovTuning::block / warp_size * sizeof(Scalar)];
  __shared__ bool is_last;
  Scalar* const memory = reinterpret_cast<Scalar*>(bytes);
  const auto mine = sum_over_block(sums, memory);
  if (threadIdx.x == 0) is_last = gathering.contribute(column, part, parts, mine);
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  terrace::krylov::Sums<Scalar, N> total;
  for (int other = static_cast<int>(threadIdx.x); other < parts; other += KrylovTuning::block)
    for (int k = 0; k < N; ++k) total.of[k] += gathering.of(column, other)[k];
  total = sum_over_block(total, memory);
  if (threadIdx.x == 0) conclude(total);
}

}  // namespace terrace::cuda::krylov
