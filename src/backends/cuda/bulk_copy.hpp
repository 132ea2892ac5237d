// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of whole arrays from device to shared memory that the multiprocessor's copy engine makes by itself, and the
// barriers in shared memory that say when they have come (cp.async.bulk and mbarrier of PTX, from compute capability
// 9.0 on).
//
// A barrier goes from phase to phase: a phase ends when as many threads have arrived as it was made for, and all bytes
// have come that were announced. Who waits names the parity of the phase; a new barrier is in phase 0, and the one
// before it, of parity 1, counts as ended.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace terrace::cuda {

using CopyBarrier = std::uint64_t;

__device__ inline unsigned shared_address(const void* in_shared_memory) {
  return static_cast<unsigned>(__cvta_generic_to_shared(in_shared_memory));
}

__device__ inline void make_barrier(CopyBarrier* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/// By the thread that made barriers, so that the copy engine finds them; __syncthreads() tells the others.
__device__ inline void show_barriers_to_copies() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void arrive(CopyBarrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ inline void arrive_and_announce(CopyBarrier* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

__device__ inline void wait_for_phase(CopyBarrier* barrier, unsigned parity) {
  asm volatile(
      "{ .reg .pred p;\n"
      "again_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again_%=; }" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

/// Addresses and bytes are multiples of 16. The bytes have been announced.
__device__ inline void copy_bulk(void* to, const void* from, unsigned bytes, CopyBarrier* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}

}  // namespace terrace::cuda
