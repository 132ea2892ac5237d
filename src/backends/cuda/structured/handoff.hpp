// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the warps of a sweep pass values on: through memory, the value being its own flag, and by bulk copies.
//
// A cell is "awaited" while it holds a signaling NaN. Arithmetic returns quiet ones, whatever it is given, so nothing
// that was computed is ever taken for "awaited", and what is published needs no inspection (a sweep only publishes what
// it computed; compare watch.hpp). The number is the message, so relaxed accesses of one aligned word suffice. Whoever
// consumes a published value puts "awaited" back, which leaves the buffers clean for the next kernel.
//
// Within a block, whatever warps pass on through shared memory is ordered by barriers: the warp meets, then one of its
// lanes arrives for all. racecheck follows barriers lane by lane, polled ones and those that count bytes too, but not
// that the warp has met; so it reports every such hand-over. In a build where every lane arrives it reports nothing but
// the solver's loads ahead of time, which are loaded again if they came too early; without those, nothing.
//
// Everything that does not depend on the awaited values comes in bulk, some kilobytes at a time (bulk_copy.hpp).
#pragma once

#include <cstdint>

#include "backends/cuda/bulk_copy.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda::grid {

__device__ inline bool is_awaited(float value) { return __float_as_int(value) == int(0xffbfffff); }
__device__ inline bool is_awaited(double value) { return __double2hiint(value) == int(0xfff7ffff); }

template <class Real>
__device__ Real awaited() {
  if constexpr (sizeof(Real) == 4) return __int_as_float(int(0xffbfffff));
  else return __hiloint2double(int(0xfff7ffff), 0);
}

/// Predicated stores: a branch would cost the warp more than the store.
__device__ inline void publish_if(bool wanted, float* cell, float value) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.relaxed.gpu.global.f32 [%1], %2; }" ::"r"(int(wanted)),
               "l"(cell), "f"(value));
}
__device__ inline void publish_if(bool wanted, double* cell, double value) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.relaxed.gpu.global.f64 [%1], %2; }" ::"r"(int(wanted)),
               "l"(cell), "d"(value));
}

/// Neighbouring cells, in pairs where they can be; each value is there or not by itself.
template <int Count, class Real>
__device__ void publish_run_if(bool wanted, Real* cells, const Real (&values)[Count]) {
  if constexpr (Count % 2 == 0 && sizeof(Real) == 8) {
#pragma unroll
    for (int k = 0; k < Count; k += 2)
      asm volatile(
          "{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.relaxed.gpu.global.v2.f64 [%1], {%2, %3}; }" ::"r"(int(wanted)),
          "l"(cells + k), "d"(values[k]), "d"(values[k + 1]));
  } else {
#pragma unroll
    for (int k = 0; k < Count; ++k) publish_if(wanted, cells + k, values[k]);
  }
}

/// Before the first use of `size` cells.
template <class Real>
__global__ void make_awaited_kernel(Real* cells, std::int64_t size) {
  const std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < size) publish_if(true, cells + k, awaited<Real>());
}

}  // namespace terrace::cuda::grid
