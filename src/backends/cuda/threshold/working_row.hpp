// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The row that a warp eliminates (incomplete/threshold/working_row.hpp is that of one thread): columns and values in
// the order in which they came, and a table with open addressing that says where a column stands.
//
// Lanes ask the table side by side, and enter new columns side by side: all columns of a step differ, so that two lanes
// never write one value, and meet in the table only where both take an empty slot. The table is at most half full.
// When nothing is asked any more its memory serves the selection (largest.hpp); `clear` makes a table of it again.
#pragma once

#include "backends/cuda/watch.hpp"

namespace terrace::cuda::threshold {

template <class Real>
struct alignas(8) SelectionOf {
  Real* sizes;         // [capacity], of candidates, by place
  unsigned* selected;  // [capacity], places
};

template <class ScalarType, class RealType>
struct WarpRow {
  using Scalar = ScalarType;
  using Real = RealType;
  /// A column and its place in one word of 64 bits: what is asked is answered by one load.
  using Slot = unsigned long long;

  static constexpr Slot empty = ~0ull;  // no column is negative
  static constexpr int absent = -1;

  Slot* slots;     // [2 capacity]
  Scalar* values;  // [capacity]
  int* columns;    // [capacity]
  int log2_capacity;
  int count = 0;

  __host__ __device__ static std::size_t bytes(int log2_capacity) {
    return (2 * sizeof(Slot) + sizeof(Scalar) + sizeof(int)) << log2_capacity;
  }

  /// Aligned for Slot and Scalar.
  __device__ WarpRow(unsigned char* memory, int log2)
      : slots(reinterpret_cast<Slot*>(memory)),
        values(reinterpret_cast<Scalar*>(memory + (2 * sizeof(Slot) << log2))),
        columns(reinterpret_cast<int*>(memory + ((2 * sizeof(Slot) + sizeof(Scalar)) << log2))),
        log2_capacity(log2) {}

  __device__ int capacity() const { return 1 << log2_capacity; }

  /// Fibonacci hashing (Knuth, "The Art of Computer Programming", volume 3, section 6.4): neighbours fall far apart.
  __device__ unsigned first_slot(int column) const {
    return static_cast<unsigned>(column) * 2654435769u >> (31 - log2_capacity);
  }

  __device__ unsigned behind(unsigned slot) const { return (slot + 1) & last_slot(); }

  /// Where the column stands, or absent; then `slot` is where the search for an empty one goes on.
  __device__ int find(int column, unsigned& slot) const {
    for (slot = first_slot(column);; slot = behind(slot)) {
      const Slot found = slots[slot];
      if (static_cast<int>(found >> 32) == column) return static_cast<int>(found);
      if (found == empty) return absent;
    }
  }

  /// Whether the slot was empty, and is that of this column now.
  __device__ bool takes(int column, int place, unsigned slot) {
    return atomicCAS(&slots[slot], empty, static_cast<Slot>(column) << 32 | static_cast<unsigned>(place)) == empty;
  }

  /// A column that is absent, at the next place of the row, with the value zero.
  __device__ void enter(int column, int place, unsigned slot) {
    while (!takes(column, place, slot)) slot = behind(slot);
    columns[place] = column;
    values[place] = Scalar(0);
  }

  /// Places for the new columns of all lanes, which call it together; negative where there is no capacity for them.
  __device__ int take_place(bool is_new) {
    const unsigned news = __ballot_sync(all_lanes, is_new);
    const int before = count;
    if (before + __popc(news) > capacity()) return absent;
    count += __popc(news);
    return before + __popc(news & ((1u << threadIdx.x % warp_size) - 1u));
  }

  /// Overwrites the table.
  __device__ SelectionOf<Real> selection() const {
    static_assert(sizeof(Real) + sizeof(unsigned) <= 2 * sizeof(Slot));
    auto* const sizes = reinterpret_cast<Real*>(slots);
    return {sizes, reinterpret_cast<unsigned*>(sizes + capacity())};
  }

  __device__ void clear() {
    __syncwarp();
    for (unsigned slot = threadIdx.x % warp_size; slot <= last_slot(); slot += warp_size) slots[slot] = empty;
    count = 0;
    __syncwarp();
  }

 private:
  __device__ unsigned last_slot() const { return (2u << log2_capacity) - 1u; }
};

}  // namespace terrace::cuda::threshold
