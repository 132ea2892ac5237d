// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels are chains of short kernels, so each begins before its predecessor has ended (backends/cuda/early_launch.hpp):
// it looks up its tile and asks for its part of L, whose values nobody needs yet, and then waits.
#pragma once

#include "backends/cuda/early_launch.hpp"

namespace terrace::cuda::ldlt {

/// All that was enqueued before is done when this returns.
__device__ inline void await_and_pass_on() {
  await_predecessor();
  let_successor_begin();
}

/// Where a kernel stands in the stream: at the head of a factorization or a solve; behind its predecessor, whose
/// results it needs; or beside it, because the two belong to different fronts of a level.
enum class Stands { First, Behind, Beside };

/// Before reading what was there before the first kernel, and nothing else: kernels behind that one were let begin by
/// one that has seen it. The fence is for what the L1 cache still holds from before that.
__device__ inline void await_what_is_given(Stands stands) {
  if (stands == Stands::First) await_predecessor();
  else __threadfence();
}

/// As await_and_pass_on. A kernel beside its predecessor has nothing to wait for: it was let begin by one that has seen
/// all earlier levels done. The fence is for what the L1 cache still holds from before that. What it lets begin may
/// touch nothing, until it has awaited, that this level writes.
__device__ inline void begin_work(Stands stands) {
  if (stands == Stands::Beside) __threadfence();
  else await_predecessor();
  let_successor_begin();
}
/// What comes later finds both of them done.
__device__ inline void end_work(Stands stands) {
  if (stands == Stands::Beside) await_predecessor();
}

/// Brings columns of a panel into the L2 cache, for all threads of a block.
template <class Scalar>
__device__ void prefetch(const Scalar* panel, std::int64_t stride, int rows, int columns) {
  constexpr int each = 128 / sizeof(Scalar);
  const int lines = rows / each + 1;
  for (int k = static_cast<int>(threadIdx.x); k < lines * columns; k += static_cast<int>(blockDim.x)) {
    const int row = min(k % lines * each, rows - 1);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(panel + row + k / lines * stride));
  }
}

template <class... Parameters, class... Arguments>
void launch_early(const Kokkos::Cuda& space, const char* label, void (*kernel)(Parameters...), dim3 blocks, int threads,
                  std::size_t bytes, const Arguments&... arguments) {
  launch_grid_when(Begin::Early, space, label, kernel, blocks, dim3(static_cast<unsigned>(threads)), bytes,
                   arguments...);
}

}  // namespace terrace::cuda::ldlt
