// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of whole arrays from device to shared memory that nobody waits for, and the barriers in shared memory that say
// when they have come (mbarrier of PTX).
//
// A barrier goes from phase to phase: a phase ends when as many threads have arrived as it was made for, and all bytes
// have come that were announced. A thread that waits names the parity of the phase; a new barrier is in phase 0, and
// the one before it, of parity 1, counts as ended.
//
// One thread announces the bytes of a phase, copies them, and says that these were all. From compute capability 9.0 on
// the multiprocessor's copy engine makes the copies and counts the bytes (cp.async.bulk). Before, the thread makes them
// itself, 16 bytes at a time (cp.async): the barrier waits for each copy as for one more thread, and for the thread,
// which arrives when it has asked for the last one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <nv/target>

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
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("fence.mbarrier_init.release.cluster;" ::
                                                    : "memory");
                                   asm volatile("fence.proxy.async.shared::cta;" ::
                                                    : "memory");))
}

__device__ inline void arrive(CopyBarrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ inline void arrive_if(bool wanted, CopyBarrier* barrier) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p mbarrier.arrive.shared::cta.b64 _, [%1]; }" ::"r"(int(wanted)),
               "r"(shared_address(barrier))
               : "memory");
}

/// By the thread that copies; it counts as one that has arrived when it has called all_copies_asked_for() as well.
__device__ inline void announce(CopyBarrier* barrier, unsigned bytes) {
  NV_IF_TARGET(
      NV_PROVIDES_SM_90,
      (asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                    : "memory");))
}

/// Addresses and bytes are multiples of 16. The bytes have been announced.
__device__ inline void copy_bulk(void* to, const void* from, unsigned bytes, CopyBarrier* barrier) {
  NV_IF_ELSE_TARGET(
      NV_PROVIDES_SM_90,
      (asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                        shared_address(to)),
                    "l"(from), "r"(bytes), "r"(shared_address(barrier))
                    : "memory");),
      (for (unsigned at = 0; at < bytes;
            at += 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to) + at),
                                   "l"(static_cast<const char*>(from) + at)
                                   : "memory");
       asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(barrier))
                    : "memory");))
}

/// All that was announced has been asked for.
__device__ inline void all_copies_asked_for(CopyBarrier* barrier) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (static_cast<void>(barrier);), (arrive(barrier);))
}

/// Does not suspend the thread: the caller has other things to do, or asks again at once.
__device__ inline bool has_ended(CopyBarrier* barrier, unsigned parity) {
  std::uint32_t ended;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(ended)
               : "r"(shared_address(barrier)), "r"(parity)
               : "memory");
  return ended != 0;
}

__device__ inline void wait_for_phase(CopyBarrier* barrier, unsigned parity) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90,
                    (asm volatile("{ .reg .pred p;\n"
                                  "again_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                                  "@!p bra again_%=; }" ::"r"(shared_address(barrier)),
                                  "r"(parity)
                                  : "memory");),
                    (while (!has_ended(barrier, parity)){}))
}

}  // namespace terrace::cuda
