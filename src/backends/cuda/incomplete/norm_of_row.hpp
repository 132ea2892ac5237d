// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The norm of a part of a long row of A, by all threads of a block.
#pragma once

#include "algorithms/incomplete/elimination.hpp"
#include "backends/cuda/incomplete/plan.hpp"
#include "backends/cuda/lanes.hpp"

namespace terrace::cuda::incomplete {

struct NormOfRow {
  static constexpr int threads = 1024;
};

/// Of entries [begin, end) of the pattern, in thread 0. Called by whole blocks of NormOfRow::threads.
template <class Scalar, class Offset>
__device__ auto norm_by_block(const terrace::incomplete::Elimination<Scalar, int, Offset, Space>& elimination, int row,
                              Offset begin, Offset end) {
  using Real = terrace::incomplete::RealOf<Scalar>;
  constexpr int warps = NormOfRow::threads / warp_size;
  __shared__ Real of_warps[warps];
  const auto thread = static_cast<int>(threadIdx.x);
  const auto length = static_cast<std::int64_t>(end - begin);
  Real norm(0);
#pragma unroll 4
  for (std::int64_t k = thread; k < length; k += NormOfRow::threads)
    norm += terrace::incomplete::magnitude(elimination.stored(row, begin + static_cast<Offset>(k)));
  norm = sum_over_lanes<5>(norm);
  if (thread % warp_size == 0) of_warps[thread / warp_size] = norm;
  __syncthreads();
  if (thread < warp_size) norm = sum_over_lanes<5>(thread < warps ? of_warps[thread] : Real(0));
  __syncthreads();
  return norm;
}

}  // namespace terrace::cuda::incomplete
