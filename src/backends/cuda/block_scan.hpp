// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small steps at the end of a kernel: the block that ends last takes them, where a kernel of their own would take
// longer to launch than to run.
#pragma once

#include "backends/cuda/lanes.hpp"

namespace terrace::cuda {

/// Whether this block is the last of the grid to come here; it sees what the others wrote before. Called by the whole
/// block. `arrived` is zero before.
__device__ inline bool is_last_block(unsigned* arrived) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (is_last) __threadfence();
  return is_last;
}

/// The sum over all threads before this one, and over all of the block. Called by the whole block, of whole warps.
template <class Number>
__device__ Number sum_before(Number own, Number& all) {
  __shared__ Number of_warp[warp_size];
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size,
            warps = static_cast<int>(blockDim.x) / warp_size;
  const Number up_to = sum_up_to_lane(own);
  __syncthreads();  // who still reads what an earlier call left
  if (lane == warp_size - 1) of_warp[warp] = up_to;
  __syncthreads();
  Number before = 0;
  all = 0;
  for (int other = 0; other < warps; ++other) {
    if (other == warp) before = all;
    all += of_warp[other];
  }
  return before + up_to - own;
}

/// The same memory for all who ask for so much.
template <int bytes>
__device__ char* shared_bytes() {
  __shared__ alignas(16) char memory[bytes];
  return memory;
}

/// Of scan_by_block: for each thread a line of numbers, and one more so that the banks of neighbours differ.
template <int threads>
inline constexpr int scan_bytes = threads*(64 + 8);

/// What Kokkos::parallel_scan does with the functor, by one block of `threads`: functor(k, sum, final) adds what
/// belongs to k to the sum of those before, twice, the second time with `final`. All is written when it returns.
/// Neighbouring threads ask for neighbours, many at once; each adds up some that stand side by side, from shared
/// memory. Returns the sum of all, to each thread.
template <int threads, class Number, class Functor>
__device__ Number scan_by_block(int count, const Functor& functor) {
  constexpr int each = 64 / static_cast<int>(sizeof(Number)), tile = each * threads;
  static_assert((tile + threads) * sizeof(Number) <= scan_bytes<threads>);
  auto* const sums = reinterpret_cast<Number*>(shared_bytes<scan_bytes<threads>>());
  const auto place = [](int k) { return k + k / each; };  // so that the banks of neighbouring threads differ
  const int thread = static_cast<int>(threadIdx.x);
  if (count <= threads) {
    Number own = 0, all;
    if (thread < count) functor(thread, own, false);
    Number before = sum_before(own, all);
    if (thread < count) functor(thread, before, true);
    __syncthreads();
    return all;
  }
  Number before_tile = 0;
  for (int first = 0; first < count; first += tile) {
#pragma unroll
    for (int k = thread; k < tile; k += threads) {
      Number own = 0;
      if (first + k < count) functor(first + k, own, false);
      sums[place(k)] = own;
    }
    __syncthreads();
    Number* const mine = sums + thread * (each + 1);
    Number own = 0, all;
#pragma unroll
    for (int k = 0; k < each; ++k) own += mine[k];
    Number before = before_tile + sum_before(own, all);
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const Number here = mine[k];
      mine[k] = before;
      before += here;
    }
    __syncthreads();
#pragma unroll
    for (int k = thread; k < tile; k += threads) {
      Number sum = sums[place(k)];
      if (first + k < count) functor(first + k, sum, true);
    }
    before_tile += all;
    __syncthreads();
  }
  return before_tile;
}

}  // namespace terrace::cuda
