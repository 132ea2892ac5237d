// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers first, ..., end - 1 for the warps of a kernel, in ascending order from counters.
//
// A counter serves one claim in 1.3 ns. Where that is more than a claim is worth there are several, a cache line each,
// and every block has a warp for each of them: counter c hands out the claims c, c + counters, c + 2 counters, ...
//
// A kernel ends even if only one block of it is resident: a warp works off its claims in ascending order, hence the
// smallest unfinished number is in the hands of a warp that runs and waits for nothing, or is the next that the warps
// of its counter claim, and one of them is resident. A claim is asked for one turn before it is needed.
#pragma once

#include "backends/cuda/triangular/tuning.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

/// How a kernel's numbers are handed out.
struct ClaimPolicy {
  unsigned per_claim;
  unsigned counters;  // 1 to ClaimTuning::most_counters, a divisor of the warps of a block
  unsigned* claimed;  // Claims::memory numbers, all at their largest value when the kernel starts
};

class Claims {
 public:
  static constexpr std::size_t memory = std::size_t(ClaimTuning::most_counters) * ClaimTuning::spacing;

  __device__ Claims(unsigned first, unsigned end, const ClaimPolicy& policy)
      : first_(first + threadIdx.x / warp_size % policy.counters * policy.per_claim),
        end_(end),
        per_claim_(policy.per_claim),
        stride_(policy.counters * policy.per_claim),
        claimed_(policy.claimed + threadIdx.x / warp_size % policy.counters * ClaimTuning::spacing),
        ahead_(claim()) {}

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
    return threadIdx.x % warp_size == 0 ? first_ + (atomicAdd(claimed_, 1u) + 1u) * stride_ : 0u;
  }

  unsigned first_, end_, per_claim_, stride_;
  unsigned* claimed_;
  unsigned ahead_, number_ = 0, left_ = 0;
};

}  // namespace terrace::cuda
