// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows are finished, which a warp works on, and which wait without one.
//
// Rows may be claimed in any order, although nobody knows beforehand which rows a row needs. A warp whose row needs row
// k looks at it until it is finished, if another warp works on k. If nobody does, the warp gives its row up: it goes on
// the list of k, and begins again when k is finished. Whoever finishes k takes up one row of its list, and puts the
// others on a stack, from which warps that look for work take rows before they claim new ones.
//
// It ends: of the rows that warps work on, the smallest looks at no row for long, because what it needs is finished or
// is worked on by nobody; so it is finished or given up. A row is given up once for each row that it needs, at most.
// And a row on a list is started again: what it waits for is a smaller row, and so, in the end, one that is claimed,
// on the stack, or worked on.
//
// All that is called by one lane, unless it says otherwise.
#pragma once

#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

/// Where the row of U of a finished row stands, in one word that is its flag: the position of the pivot, and how many
/// entries follow, unless they are too many for the word.
class UpperPlace {
 public:
  __device__ UpperPlace(unsigned long long position, unsigned long long length)
      : word_(finished_ | (length < too_long ? length : too_long) << position_bits | position) {}
  explicit __device__ UpperPlace(unsigned long long word) : word_(word) {}

  __device__ unsigned long long word() const { return word_; }
  __device__ unsigned long long position() const { return word_ & ((1ull << position_bits) - 1); }
  __device__ int length() const { return static_cast<int>(word_ >> position_bits & too_long); }
  __device__ bool is_too_long() const { return length() == static_cast<int>(too_long); }

 private:
  static constexpr int position_bits = 40;
  static constexpr unsigned long long too_long = (1ull << 23) - 1, finished_ = 1ull << 63;
  unsigned long long word_;
};

/// Rows in the lists are numbers plus one, and none is zero.
struct RowStates {
  static constexpr int closed = -1;

  unsigned long long* published;  // by row: an UpperPlace, or zero until it is finished
  unsigned* is_active;            // by row: a warp works on it
  int* waiting;               // by row: the first of those that wait for it without a warp; closed when it is finished
  int* next;                  // by row: the one behind it on the same list, or on the stack
  unsigned long long* ready;  // the top of the stack; above it, how often that has changed
  unsigned* finished;         // how many rows are

  __device__ void begin(int row) const { volatile_cell(is_active + row) = 1u; }

  /// By any lane.
  __device__ bool is_worked_on(int row) const { return volatile_cell(is_active + row) != 0; }

  /// Puts a row on the list of row k. False, and it is worked on as before, when k has been finished.
  __device__ bool give_up(int row, int k) const {
    volatile_cell(is_active + row) = 0u;
    for (int first = volatile_cell(waiting + k); first != closed;) {
      volatile_cell(next + row) = first;
      __threadfence();
      const int found = atomicCAS(waiting + k, first, row + 1);
      if (found == first) return true;
      first = found;
    }
    begin(row);
    return false;
  }

  /// To be called once `row` is published. Returns a row to go on with, or -1.
  __device__ int finish(int row) const {
    atomicAdd(finished, 1u);
    __threadfence();
    const int first = atomicExch(waiting + row, closed);
    if (first == 0) return -1;
    __threadfence();
    if (const int others = volatile_cell(next + first - 1); others != 0) push(others);
    return first - 1;
  }

  /// A row from the stack, or -1.
  __device__ int pop() const {
    auto top = volatile_cell(ready);
    while (row_of(top) != 0) {
      const int row = row_of(top) - 1;
      const auto found = atomicCAS(ready, top, changed(top, volatile_cell(next + row)));
      if (found == top) return row;
      top = found;
    }
    return -1;
  }

 private:
  template <class T>
  __device__ static volatile T& volatile_cell(T* cell) {
    return *const_cast<volatile T*>(cell);
  }

  __device__ static int row_of(unsigned long long top) { return static_cast<int>(static_cast<unsigned>(top)); }
  __device__ static unsigned long long changed(unsigned long long top, int row) {
    return ((top >> 32) + 1) << 32 | static_cast<unsigned>(row);
  }

  /// A whole list.
  __device__ void push(int first) const {
    int last = first;
    for (int behind = volatile_cell(next + last - 1); behind != 0; behind = volatile_cell(next + last - 1))
      last = behind;
    auto top = volatile_cell(ready);
    for (;;) {
      volatile_cell(next + last - 1) = row_of(top);
      __threadfence();
      const auto found = atomicCAS(ready, top, changed(top, first));
      if (found == top) return;
      top = found;
    }
  }
};

}  // namespace terrace::cuda
