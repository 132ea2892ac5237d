// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers first, ..., end - 1 for the warps of a kernel, in ascending order from counters.
//
// A counter serves one claim in 1.3 ns. Where that is more than a claim is worth there are several, a cache line each,
// and every block has a warp for each of them: counter c hands out the claims c, c + Counters, c + 2 Counters, ...
// Their number is a template argument: as a number that the kernel is given it costs a solve 5 to 8 % of its time.
//
// A kernel ends even if only one block of it is resident: a warp works off its claims in ascending order, hence the
// smallest unfinished number is in the hands of a warp that runs and waits for nothing, or is the next that the warps
// of its counter claim, and one of them is resident. A claim is asked for one turn before it is needed.
#pragma once

#include "backends/cuda/watch.hpp"

namespace terrace::cuda::triangular {

/// Counters: 1, 2 or 4, which divide the warps of a block.
template <unsigned Counters>
class Claims {
  static constexpr unsigned spacing = 64;  // unsigned numbers from one counter to the next

 public:
  /// Unsigned numbers that the counters take, and what all of them are when a kernel starts.
  static constexpr std::size_t memory = std::size_t(Counters - 1) * spacing + 1;
  static constexpr unsigned nothing_yet = 0xffffffffu;

  __device__ Claims(unsigned first, unsigned end, unsigned per_claim, unsigned* claimed)
      : first_(first + threadIdx.x / warp_size % Counters * per_claim),
        end_(end),
        per_claim_(per_claim),
        claimed_(claimed + threadIdx.x / warp_size % Counters * spacing),
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
    return threadIdx.x % warp_size == 0 ? first_ + (atomicAdd(claimed_, 1u) + 1u) * Counters * per_claim_ : 0u;
  }

  unsigned first_, end_, per_claim_;
  unsigned* claimed_;
  unsigned ahead_, number_ = 0, left_ = 0;
};

/// The same from one counter, from 0 on, without asking ahead. What a warp has claimed nobody else can take: where some
/// work takes far longer than most, others would wait for the number that lies behind such a piece.
class LateClaims {
 public:
  __device__ LateClaims(unsigned end, unsigned* claimed) : end_(end), claimed_(claimed) {}

  /// As of Claims.
  __device__ unsigned next() const {
    return __shfl_sync(all_lanes, threadIdx.x % warp_size == 0 ? atomicAdd(claimed_, 1u) + 1u : 0u, 0);
  }
  __device__ unsigned end() const { return end_; }

 private:
  unsigned end_;
  unsigned* claimed_;
};

}  // namespace terrace::cuda::triangular
