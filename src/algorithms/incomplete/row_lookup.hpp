// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a column stands in the row that is being eliminated: the inner question of every incomplete factorization.
//
// A short row is walked along, since the columns that are asked for ascend. For a long one, a host thread writes the
// positions into a small hash table on its stack: what Saad's iw array is, without a word per row of the matrix for
// each thread.
#pragma once

#include "algorithms/analysis/concurrency.hpp"

namespace terrace::incomplete {

/// Two sorted lists side by side.
template <class Ordinal, class Offset>
struct WalkAlong {
  const Ordinal* entries;
  Offset end;
  Offset at = 0;

  /// Before the columns of the next row are asked for, which all lie behind position `from`.
  KOKKOS_FUNCTION void restart(Offset from) { at = from; }

  /// The position of the column, or `end`.
  KOKKOS_FUNCTION Offset find(Ordinal column) {
    while (at < end && entries[at] < column) ++at;
    return at < end && entries[at] == column ? at : end;
  }
};

/// Open addressing with room for twice the longest row that it takes.
template <class Ordinal, class Offset>
class RowTable {
 public:
  static constexpr int shortest_row = 24;
  static constexpr int longest_row = 256;

  RowTable(const Ordinal* entries, Offset begin, Offset end) : end_(end) {
    while ((1 << bits_) < 2 * static_cast<int>(end - begin)) ++bits_;
    for (int slot = 0; slot < 1 << bits_; ++slot) columns_[slot] = -1;
    for (Offset k = begin; k < end; ++k) {
      const unsigned slot = slot_of(entries[k]);
      columns_[slot] = entries[k];
      positions_[slot] = k;
    }
  }

  void restart(Offset) {}

  Offset find(Ordinal column) const {
    const unsigned slot = slot_of(column);
    return columns_[slot] == column ? positions_[slot] : end_;
  }

 private:
  /// The column's slot, or the free one where it would stand.
  unsigned slot_of(Ordinal column) const {
    const unsigned mask = (1u << bits_) - 1;
    unsigned slot = (static_cast<unsigned>(column) * 2654435769u) >> (32 - bits_);
    while (columns_[slot] != column && columns_[slot] != -1) slot = (slot + 1) & mask;
    return slot;
  }

  Offset end_;
  int bits_ = 5;
  Ordinal columns_[2 * longest_row];
  Offset positions_[2 * longest_row];
};

}  // namespace terrace::incomplete
