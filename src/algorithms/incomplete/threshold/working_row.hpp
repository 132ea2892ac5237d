// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The row that is being eliminated, while nobody knows yet which entries it will have (Saad's w).
//
// Its numbers stand in a table in which every column has a home, and the occupied places in a list. A table at least as
// long as the matrix has a place for each column. A shorter one, which is what a device with thousands of rows under
// way has capacity for, is a hash table with linear probing, at most half full; columns close to each other have
// different homes. A row that does not fit says so, and everybody starts again with more capacity
// (run_elimination.hpp).
//
// Between two rows all places are empty.
#pragma once

#include "algorithms/incomplete/pivots.hpp"

namespace terrace::incomplete {

template <class ScalarType, class OrdinalType>
struct WorkingRow {
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Real = RealOf<Scalar>;

  static constexpr Ordinal empty = -1;
  static constexpr unsigned nowhere = ~0u;

  Ordinal* columns;    // [2^bits], by place, or empty
  Scalar* values;      // [2^bits]
  Real* sizes;         // [2^bits], absolute values, once nothing changes any more
  unsigned* occupied;  // [capacity], places in the order in which they were taken
  unsigned* selected;  // [capacity], for whoever puts columns or places in order
  unsigned capacity;
  int bits;
  unsigned count = 0;

  /// The place of the column, which takes one, with the value zero, if it has none. Nowhere: there is no capacity.
  KOKKOS_FUNCTION unsigned place_of(Ordinal column) {
    const unsigned last = (1u << bits) - 1u, number = static_cast<unsigned>(column);
    // Where the table is too short, each stretch of columns as long as the table is turned by another amount.
    unsigned place = (number + (number >> bits) * 0x9E3779B1u) & last;
    for (; columns[place] != empty; place = (place + 1u) & last)
      if (columns[place] == column) return place;
    if (count == capacity) return nowhere;
    occupied[count++] = place;
    columns[place] = column;
    values[place] = Scalar(0);
    return place;
  }

  KOKKOS_FUNCTION void clear() {
    for (unsigned k = 0; k < count; ++k) columns[occupied[k]] = empty;
    count = 0;
  }
};

}  // namespace terrace::incomplete
