// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where columns stand in a row, in shared memory: a table with open addressing that the warps of a row make and ask. To
// search the row instead takes a chain of some seven loads for each column.
#pragma once

#include <bit>
#include <cstddef>

#include "backends/cuda/watch.hpp"

namespace terrace::cuda::incomplete {

class RowTable {
  /// A column and its place in one word of 64 bits: what is asked is answered by one load.
  using Slot = unsigned long long;

 public:
  /// Of rows with up to `capacity` entries.
  static std::size_t bytes(int capacity) {
    return static_cast<std::size_t>(slots_per_entry) * std::bit_ceil(static_cast<unsigned>(capacity)) * sizeof(Slot);
  }

  explicit __device__ RowTable(unsigned char* memory) : slots_(reinterpret_cast<Slot*>(memory)) {}

  /// Called by a warp, or by all warps of the block together, with at least one column; all differ.
  __device__ void fill(const int* columns, int length, bool by_block) {
    const int threads = by_block ? static_cast<int>(blockDim.x) : warp_size;
    const int thread = static_cast<int>(threadIdx.x) % threads;
    const auto wait = [by_block] { by_block ? __syncthreads() : __syncwarp(); };
    length_ = length;
    const int log2_size = log2_slots_per_entry + 32 - __clz(length - 1);
    shift_ = 32 - log2_size;
    mask_ = (1u << log2_size) - 1;
    for (int at = thread; at < 1 << log2_size; at += threads) slots_[at] = empty;
    wait();
    for (int k = thread; k < length; k += threads) {
      const Slot slot = static_cast<Slot>(columns[k]) << 32 | static_cast<unsigned>(k);
      unsigned at = first_slot(columns[k]);
      while (atomicCAS(&slots_[at], empty, slot) != empty) at = (at + 1) & mask_;
    }
    wait();
  }

  __device__ int length() const { return length_; }

  /// The column's place in the row, or its length.
  __device__ int find(int column) const {
    for (unsigned at = first_slot(column);; at = (at + 1) & mask_) {
      const Slot slot = slots_[at];
      if (static_cast<int>(slot >> 32) == column) return static_cast<int>(slot);
      if (slot == empty) return length_;
    }
  }

 private:
  static constexpr int log2_slots_per_entry = 1, slots_per_entry = 1 << log2_slots_per_entry;
  static constexpr Slot empty = ~0ull;  // no column is negative

  /// Fibonacci hashing (Knuth, "The Art of Computer Programming", volume 3, section 6.4): neighbours fall far apart.
  __device__ unsigned first_slot(int column) const { return static_cast<unsigned>(column) * 2654435769u >> shift_; }

  Slot* slots_;
  int length_ = 0, shift_ = 0;
  unsigned mask_ = 0;
};

}  // namespace terrace::cuda::incomplete
