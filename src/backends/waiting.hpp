// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a thread may wait in a loop for another one: facts of the backends, which Kokkos does not tell.
//
// Algorithms without barriers claim their work in the order of the dependences, so that whoever is waited for is
// running (algorithms/triangular/work_counter.hpp). They end if a running thread gets on while others wait in loops,
// lanes of its own warp among them. Where that is not known, one worker does the work, which never waits, and nothing
// chooses these algorithms unasked.
#pragma once

#include "parallel/spaces.hpp"

namespace terrace::parallel {

/// Threads of a host are scheduled by its system. A device counts when its language promises it, and the tests of
/// these algorithms have passed there.
template <class Space>
inline constexpr bool running_threads_get_on = is_host_space<Space>;

#if defined(KOKKOS_ENABLE_CUDA)
/// From compute capability 7.0 on: CUDA C++ Programming Guide, "Independent Thread Scheduling".
template <>
inline constexpr bool running_threads_get_on<Kokkos::Cuda> = true;
#endif

// HIP: the lanes of a wavefront share one program counter. SYCL: SYCL 2020, 3.8.3.4, work-items have weak forward
// progress. OpenMPTarget, OpenACC: their standards promise nothing between teams or gangs.

}  // namespace terrace::parallel
