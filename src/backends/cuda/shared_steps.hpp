// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that take several steps, each of them shared by all blocks: of a small problem a step takes longer to launch
// than to run.
//
// A grid whose blocks all meet has to be there at once, and would wait for whatever keeps multiprocessors. So shares of
// a step are claimed by the blocks that are running, and a step ends when all its shares are done: who waits, waits for
// running blocks alone, however many they are, and a block that comes late finds nothing left to do.
#pragma once

#include "backends/cuda/launch.hpp"
#include "parallel/index_arithmetic.hpp"

namespace terrace::cuda {

class SharedSteps {
 public:
  /// What so many steps count with.
  static constexpr std::size_t counters(int steps) { return 2 * static_cast<std::size_t>(steps); }

  /// The counters are zero when the kernel begins.
  __device__ explicit SharedSteps(unsigned* counters) : counter_(counters) {}

  /// Calls body(share) for shares that nobody has taken, of as many as there are blocks. By all threads of the block;
  /// when it returns all shares are done, and everybody sees what was written. What a block keeps of a share is not
  /// there in the next step, whose shares others take.
  template <class Body>
  __device__ void share(const Body& body) {
    const auto shares = static_cast<unsigned>(gridDim.x);
    if (shares == 1) {
      body(0);
      __syncthreads();
      return;
    }
    unsigned *const claimed = counter_, *const done = counter_ + 1;
    counter_ += 2;
    __shared__ unsigned taken;
    for (;;) {
      if (threadIdx.x == 0) taken = atomicAdd(claimed, 1u);
      __syncthreads();
      if (taken >= shares) break;
      body(static_cast<int>(taken));
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) atomicAdd(done, 1u);
    }
    if (threadIdx.x == 0) {
      while (*static_cast<volatile unsigned*>(done) < shares) {
      }
      __threadfence();
    }
    __syncthreads();
  }

 private:
  unsigned* counter_;
};

/// What of an array belongs to a share.
struct PartOfShare {
  int each, first, count;

  __device__ PartOfShare(int share, int of)
      : each(parallel::divide_up(of, static_cast<int>(gridDim.x))),
        first(min(share * each, of)),
        count(min(each, of - first)) {}
};

}  // namespace terrace::cuda
