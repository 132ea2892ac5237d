// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows are finished, which a warp works on, and which wait without one.
//
// Rows may be claimed in any order, although nobody knows beforehand which rows a row needs. A warp whose row needs row
// k looks at it until it is finished, if another warp works on k. If nobody does, the warp gives its row up: it goes on
// the list of k, and begins again when k is finished. The warp that finishes k takes up one row of its list, and puts
// the others in a queue, from which warps that look for work take rows before they claim new ones.
//
// The queue is a ring of cells, and its ends are counters. When no row is left to be claimed a warp takes the next cell
// whether there is a row in it or not, and looks at that cell alone until one comes: thousands of idle warps that tried
// to take the same row let one of them have it in three microseconds (docs/lab/incomplete.md).
//
// It ends: of the rows that warps work on, the smallest looks at no row for long, because what it needs is finished or
// is worked on by nobody; so it is finished or given up. A row is given up once for each row that it needs, at most.
// And a row on a list is started again: what it waits for is a smaller row, and so, in the end, one that is claimed,
// in the queue, or worked on. The cells suffice for all rows and for all warps that wait for one.
//
// All that is called by one lane, unless it says otherwise.
#pragma once

#include <bit>

#include "backends/cuda/watch.hpp"

namespace terrace::cuda::threshold {

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

/// Rows in the lists and in the queue are numbers plus one, and none is zero.
struct RowStates {
  static constexpr int closed = -1;

  unsigned long long* published;  // by row: an UpperPlace, or zero until it is finished
  unsigned* finished;             // how many rows are
  unsigned* is_active;            // by row: a warp works on it
  int* waiting;      // by row: the first of those that wait for it without a warp; closed when it is finished
  int* next;         // by row: the one behind it on the same list
  int* queue;        // a ring of rows that may go on
  unsigned* put;     // how many rows have been put there,
  unsigned* taken;   // and how many cells have been taken
  unsigned in_ring;  // the last cell, one less than a power of two

  static unsigned cells(unsigned rows, unsigned warps) { return std::bit_ceil(rows + warps); }

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
    for (int other = volatile_cell(next + first - 1); other != 0;) {
      const int behind = volatile_cell(next + other - 1);
      __threadfence();  // the warp that takes the row may put it on another list
      put_in_queue(other);
      other = behind;
    }
    return first - 1;
  }

  /// A cell of the queue in which there is a row, or soon will be; false when there is none.
  __device__ bool take_filled_cell(unsigned& cell) const {
    cell = volatile_cell(taken);
    return static_cast<int>(volatile_cell(put) - cell) > 0 && atomicCAS(taken, cell, cell + 1) == cell;
  }
  /// The next cell of the queue.
  __device__ unsigned take_cell() const { return atomicAdd(taken, 1u); }

  /// The row in a cell that was taken, or -1 as long as there is none.
  __device__ int row_of_cell(unsigned cell) const {
    int* const place = queue + (cell & in_ring);
    return volatile_cell(place) == 0 ? -1 : atomicExch(place, 0) - 1;
  }

 private:
  template <class T>
  __device__ static volatile T& volatile_cell(T* cell) {
    return *const_cast<volatile T*>(cell);
  }

  /// The cell is empty, or will be at once: the warp that took it a round before has its row.
  __device__ void put_in_queue(int row) const {
    int* const place = queue + (atomicAdd(put, 1u) & in_ring);
    while (atomicCAS(place, 0, row) != 0) continue;
  }
};

}  // namespace terrace::cuda::threshold
