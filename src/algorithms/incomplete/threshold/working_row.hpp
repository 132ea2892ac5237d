// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The row that is being eliminated, while nobody knows yet which entries it will have (Saad's w, jw and iw).
//
// The entries stand in a list in the order in which they came up; a table says where a column stands in it. A table at
// least as long as the matrix has a place for each column. A shorter one, which is what a device with thousands of rows
// under way has room for, is a hash table with linear probing, at most half full; columns close to each other
// have different homes. A row that does not fit says so, and everybody starts again with more room
// (run_elimination.hpp).
//
// Between two rows all places are empty.
#pragma once

#include "algorithms/incomplete/pivots.hpp"

namespace terrace::incomplete {

template <class ScalarType, class OrdinalType>
class WorkingRow {
 public:
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Real = RealOf<Scalar>;

  static constexpr Ordinal nowhere = -1;

  Ordinal* places;   // [2^bits], a slot or nowhere
  Ordinal* columns;  // [capacity], by slot; so are
  Scalar* values;
  Real* sizes;        // absolute values, once nothing changes any more
  Ordinal* selected;  // [capacity], for whoever sorts columns or slots
  Ordinal capacity;
  int bits;
  Ordinal count = 0;

  /// The slot of the column, which gets one, with the value zero, if it has none. Nowhere: there is no room.
  KOKKOS_FUNCTION Ordinal slot_of(Ordinal column) {
    unsigned place = home_of(column);
    while (places[place] != nowhere) {
      if (columns[places[place]] == column) return places[place];
      place = next(place);
    }
    if (count == capacity) return nowhere;
    places[place] = count;
    columns[count] = column;
    values[count] = Scalar(0);
    return count++;
  }

  KOKKOS_FUNCTION void clear() {
    for (Ordinal slot = 0; slot < count; ++slot) {
      unsigned place = home_of(columns[slot]);
      while (places[place] != slot) place = next(place);
      places[place] = nowhere;
    }
    count = 0;
  }

 private:
  KOKKOS_FUNCTION unsigned next(unsigned place) const { return (place + 1u) & ((1u << bits) - 1u); }

  /// The column itself where the table is long enough; else each stretch of the matrix as long as the table is turned
  /// by another amount.
  KOKKOS_FUNCTION unsigned home_of(Ordinal column) const {
    const auto number = static_cast<unsigned>(column);
    return (number + (number >> bits) * 0x9E3779B1u) & ((1u << bits) - 1u);
  }
};

}  // namespace terrace::incomplete
