// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers first, ..., end - 1 for the warps of a kernel, in ascending order from a counter.
//
// So a kernel ends even if only one block of it is resident: a warp works off its claims in ascending order, hence the
// smallest unfinished number is in the hands of a warp that runs and waits for nothing. A claim is asked for one turn
// before it is needed.
#pragma once

#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

class Claims {
 public:
  /// The counter starts at the largest number, as everything that is filled with ones.
  __device__ Claims(unsigned first, unsigned end, unsigned per_claim, unsigned* claimed)
      : first_(first), end_(end), per_claim_(per_claim), claimed_(claimed), ahead_(claim()) {}

  /// The next number of this warp; end() or more when there is none. Called by all lanes.
  __device__ unsigned next() {
    if (left_ == 0) {
      number_ = __shfl_sync(all_lanes, ahead_, 0);
      left_ = per_claim_;
      ahead_ = claim();
    }
    --left_;
    return number_++;
  }
  __device__ unsigned end() const { return end_; }

 private:
  __device__ unsigned claim() const {
    return threadIdx.x % warp_size == 0 ? first_ + (atomicAdd(claimed_, 1u) + 1u) * per_claim_ : 0u;
  }

  unsigned first_, end_, per_claim_;
  unsigned* claimed_;
  unsigned ahead_, number_ = 0, left_ = 0;
};

}  // namespace terrace::cuda
