// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies from device to shared memory that no register waits for (cp.async of PTX). A thread commits its copies in
// groups and waits for groups; other lanes see what was copied behind the next __syncwarp.
//
// A copy may be made while somebody publishes the number (watch.hpp): then it holds either "pending" or the number, and
// a warp that finds it pending watches the cell itself. Copies of less than 16 bytes go through L1, whose line may be
// old; what is old there is pending.
#pragma once

#include "backends/cuda/watch.hpp"

namespace terrace::cuda::incomplete {

/// Copies one aligned number of 4, 8 or 16 bytes if `wanted`; a predicated copy, as in watch_if.
template <class T>
__device__ void copy_async_if(bool wanted, T* to, const T* from) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (sizeof(T) == 16)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p cp.async.cg.shared.global [%1], [%2], 16; }" ::"r"(
                     static_cast<int>(wanted)),
                 "r"(address), "l"(from)
                 : "memory");
  else
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p cp.async.ca.shared.global [%1], [%2], %3; }" ::"r"(
                     static_cast<int>(wanted)),
                 "r"(address), "l"(from), "n"(sizeof(T))
                 : "memory");
}

__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Until all but the newest groups are there.
template <int Newest>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Newest) : "memory");
}

}  // namespace terrace::cuda::incomplete
