// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which columns left of the diagonal a long row has: a bit for each column of the matrix, in device memory. So the next
// ones are found without a look at all that filled in.
#pragma once

#include "backends/cuda/lanes.hpp"

namespace terrace::cuda::threshold {

/// By a whole warp. A column has a zero bit, so that memory full of ones has none.
class WaitingColumns {
 public:
  __host__ __device__ static std::size_t bytes(int rows) {
    return (static_cast<std::size_t>(rows) / columns_at_once + 1) * warp_size * sizeof(uint4);
  }

  /// Aligned for uint4.
  explicit __device__ WaitingColumns(unsigned char* memory)
      : bits_(reinterpret_cast<uint4*>(memory)), lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  __device__ void add(bool is_one, int column) {
    if (is_one) atomicAnd(reinterpret_cast<unsigned*>(bits_) + column / word_bits, ~(1u << column % word_bits));
    at_hand_ = -1;
  }

  /// The first ones behind `last` and before `row`, 32 at most, ascending, to `columns`. Returns how many there are;
  /// `are_more`: perhaps.
  __device__ int next(int last, int row, int* columns, bool& are_more) {
    int found = 0, chunk = (last + 1) / columns_at_once;
    for (; chunk * columns_at_once < row && found < warp_size; ++chunk) {
      if (chunk != at_hand_) missing_ = bits_[chunk * warp_size + lane_];
      at_hand_ = chunk;
      const int first = (chunk * warp_size + lane_) * words * word_bits;
      unsigned present[words] = {~missing_.x, ~missing_.y, ~missing_.z, ~missing_.w};
      int own = 0;
#pragma unroll
      for (int w = 0; w < words; ++w) {
        const int passed = last + 1 - first - w * word_bits;
        if (passed > 0) present[w] &= passed < word_bits ? ~0u << passed : 0u;
        own += __popc(present[w]);
      }
      found += write(found, first, present, own, columns);
    }
    are_more = found > warp_size || chunk * columns_at_once < row;
    __syncwarp();
    return min(found, warp_size);
  }

  /// Forgets those before `row`.
  __device__ void clear(int row) {
    __syncwarp();
    for (int vector = lane_; vector * words * word_bits < row; vector += warp_size)
      bits_[vector] = make_uint4(~0u, ~0u, ~0u, ~0u);
    at_hand_ = -1;
    __syncwarp();
  }

 private:
  static constexpr int word_bits = 32, words = sizeof(uint4) / sizeof(unsigned),
                       columns_at_once = warp_size * words * word_bits, few = 4;

  /// To columns[found] and behind it, before columns[32]; returns how many there are.
  __device__ int write(int found, int first, const unsigned (&present)[words], int own, int* columns) const {
    const int up_to = sum_up_to_lane(own);
    if (__all_sync(all_lanes, own <= few)) {
      int at = found + up_to - own;
#pragma unroll
      for (int w = 0; w < words; ++w)
        for (unsigned left = present[w]; left != 0 && at < warp_size; left &= left - 1)
          columns[at++] = first + w * word_bits + __ffs(static_cast<int>(left)) - 1;
    } else {
      unsigned lanes = __ballot_sync(all_lanes, own != 0);
      for (int at = found; lanes != 0 && at < warp_size; lanes &= lanes - 1) {
        const int from = __ffs(static_cast<int>(lanes)) - 1, first_there = __shfl_sync(all_lanes, first, from);
#pragma unroll
        for (int w = 0; w < words; ++w) {
          const unsigned there = __shfl_sync(all_lanes, present[w], from);
          const int place = at + __popc(there & ((1u << lane_) - 1u));
          if ((there >> lane_ & 1u) != 0 && place < warp_size) columns[place] = first_there + w * word_bits + lane_;
          at += __popc(there);
        }
      }
    }
    return __shfl_sync(all_lanes, up_to, warp_size - 1);
  }

  uint4* bits_;
  int lane_;
  int at_hand_ = -1;  // the part of the bits that the lanes have
  uint4 missing_{};
};

}  // namespace terrace::cuda::threshold
