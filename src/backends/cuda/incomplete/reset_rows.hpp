// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What comes before an elimination, in one kernel: earlier diagnostics are forgotten, and what is watched is pending.
// The elimination's kernel is launched meanwhile, and what comes after it likewise: small factorizations take as long
// as their launches.
#pragma once

#include <algorithm>

#include "algorithms/incomplete/elimination.hpp"
#include "backends/cuda/early_launch.hpp"

namespace terrace::cuda::incomplete {

using Space = Kokkos::Cuda;

/// Called by all threads of a kernel with their numbers.
template <class Scalar, class Offset>
__device__ void forget_pivots(const terrace::incomplete::Elimination<Scalar, int, Offset, Space>& elimination,
                              std::size_t thread) {
  if (thread < terrace::incomplete::PivotDiagnostics)
    terrace::incomplete::ForgetPivots<int>{elimination.pivots.first,
                                           elimination.pattern.rows}(static_cast<int>(thread));
}

/// Memory that is filled with ones: values and counters of which nothing is known yet. Begins where 16 bytes begin.
struct PendingWords {
  unsigned* first;
  std::size_t count;

  __device__ void fill(std::size_t thread, std::size_t threads) const {
    constexpr std::size_t at_once = sizeof(uint4) / sizeof(unsigned);
    for (std::size_t k = thread; k < count / at_once; k += threads)
      reinterpret_cast<uint4*>(first)[k] = {~0u, ~0u, ~0u, ~0u};
    for (std::size_t k = count / at_once * at_once + thread; k < count; k += threads) first[k] = ~0u;
  }
};

template <class Scalar, class Offset>
__global__ void reset_rows_kernel(
    const __grid_constant__ terrace::incomplete::Elimination<Scalar, int, Offset, Space> elimination,
    PendingWords values, PendingWords divisors, PendingWords sums) {
  let_successor_begin();
  const std::size_t thread = number_of_thread();
  const std::size_t threads = gridDim.x * static_cast<std::size_t>(blockDim.x);
  forget_pivots(elimination, thread);
  divisors.fill(thread, threads);
  values.fill(thread, threads);
  sums.fill(thread, threads);
}

/// Enqueued.
template <class Scalar, class Offset>
void reset_rows(const Space& space, const terrace::incomplete::Elimination<Scalar, int, Offset, Space>& elimination,
                PendingWords values, PendingWords divisors, PendingWords sums) {
  constexpr std::size_t threads = 256, words_of_thread = 4, max_blocks = 4096;
  const std::size_t blocks = values.count / (threads * words_of_thread) + 1;
  launch(space, "terrace::cuda::reset_rows", reset_rows_kernel<Scalar, Offset>, std::min(blocks, max_blocks), threads,
         elimination, values, divisors, sums);
}

}  // namespace terrace::cuda::incomplete
