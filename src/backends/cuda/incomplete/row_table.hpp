// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where columns stand in a row, in shared memory: a table with open addressing that a warp makes and asks. To search
// the row instead takes a chain of some seven loads for each column.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

class RowTable {
 public:
  /// Of rows with up to `room` entries; up to 2^15.
  static std::size_t bytes(int room) {
    return static_cast<std::size_t>(room) * sizeof(int) +
           std::bit_ceil(2u * static_cast<unsigned>(room)) * sizeof(Place);
  }

  __device__ RowTable(unsigned char* memory, int room)
      : columns_(reinterpret_cast<int*>(memory)), places_(reinterpret_cast<Place*>(columns_ + room)) {}

  /// Called by the whole warp, with at least one column; all differ.
  __device__ void fill(const int* columns, int length) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    length_ = length;
    log2_size_ = 32 - __clz(2 * length - 1);  // of two to four times as many places
    for (int place = lane; place < 1 << log2_size_; place += warp_size) places_[place] = empty;
    __syncwarp();
    for (int k = lane; k < length; k += warp_size) {
      const int column = columns[k];
      columns_[k] = column;
      unsigned at = first_place(column);
      while (atomicCAS(&places_[at], empty, static_cast<Place>(k)) != empty) at = next_place(at);
    }
    __syncwarp();
  }

  __device__ int length() const { return length_; }
  __device__ int column(int k) const { return columns_[k]; }

  /// The column's place in the row, or its length.
  __device__ int find(int column) const {
    for (unsigned at = first_place(column);; at = next_place(at)) {
      const Place k = places_[at];
      if (k == empty) return length_;
      if (columns_[k] == column) return k;
    }
  }

 private:
  using Place = unsigned short;
  static constexpr Place empty = 0xffff;

  /// Fibonacci hashing (Knuth, "The Art of Computer Programming", volume 3, section 6.4): neighbours fall far apart.
  __device__ unsigned first_place(int column) const {
    return static_cast<unsigned>(column) * 2654435769u >> (32 - log2_size_);
  }
  __device__ unsigned next_place(unsigned at) const { return (at + 1) & ((1u << log2_size_) - 1); }

  int* columns_;
  Place* places_;
  int length_ = 0, log2_size_ = 0;
};

}  // namespace terrace::cuda
