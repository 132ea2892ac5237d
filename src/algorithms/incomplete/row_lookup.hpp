// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a column stands in the row that is being eliminated: the inner question of every incomplete factorization.
//
// A short row is walked along, since the columns that are asked for ascend. Walking along a long one costs more than
// the products that are found; there a host's threads have an array each with the position of every column (Saad's iw).
#pragma once

#include "algorithms/incomplete/merged_pattern.hpp"

namespace terrace::incomplete {

/// Two sorted lists side by side.
template <class Ordinal, class Offset>
struct WalkAlong {
  const Ordinal* entries;
  Offset end;
  Offset at = 0;

  /// Before the columns of the next row are asked for, which all lie behind position `from`.
  KOKKOS_FUNCTION void restart(Offset from) { at = from; }

  /// Whether the row has the column, and its position.
  KOKKOS_FUNCTION bool find(Ordinal column, Offset& position) {
    while (at < end && entries[at] < column) ++at;
    position = at;
    return at < end && entries[at] == column;
  }
};

/// The positions of one row, while this lives, in an array that holds -1 for every column otherwise.
template <class Ordinal, class Offset>
class PositionTable {
 public:
  KOKKOS_FUNCTION PositionTable(const Ordinal* entries, Offset begin, Offset end, Ordinal* places)
      : entries_(entries), begin_(begin), end_(end), places_(places) {
    for (Offset k = begin; k < end; ++k) places_[entries[k]] = static_cast<Ordinal>(k - begin);
  }
  KOKKOS_FUNCTION ~PositionTable() {
    for (Offset k = begin_; k < end_; ++k) places_[entries_[k]] = -1;
  }
  PositionTable(const PositionTable&) = delete;
  PositionTable& operator=(const PositionTable&) = delete;

  KOKKOS_FUNCTION void restart(Offset) {}
  KOKKOS_FUNCTION bool find(Ordinal column, Offset& position) const {
    const Ordinal place = places_[column];
    position = begin_ + static_cast<Offset>(place);
    return place >= 0;
  }

 private:
  const Ordinal* entries_;
  Offset begin_, end_;
  Ordinal* places_;
};

/// An array of positions for each thread; none where rows are short, and none on a device.
template <class Ordinal, class Space>
class PositionArrays {
 public:
  static constexpr int long_row = 16;

  PositionArrays() = default;

  /// The arrays hold less than the factor where all rows are long, whatever their number.
  template <class Offset>
  PositionArrays(const Space& space, const MergedPattern<Ordinal, Offset, Space>& merged) {
    if constexpr (analysis::is_host_space<Space>) {
      const auto rows = static_cast<std::size_t>(merged.count);
      if (merged.entries.extent(0) < long_row * rows) return;
      rows_ = merged.count;
      places_ = analysis::uninitialized<Ordinal>(space, "terrace::incomplete::places",
                                                 rows * static_cast<std::size_t>(threads_.size()));
      Kokkos::deep_copy(space, places_, Ordinal(-1));
    }
  }

  KOKKOS_FUNCTION bool serve(std::size_t row_length) const { return places_.data() && row_length >= long_row; }

  /// Calls `use` with an array that no other thread has.
  template <class Use>
  KOKKOS_FUNCTION void with_places(const Use& use) const {
    const auto thread = threads_.acquire();
    use(places_.data() + static_cast<std::size_t>(thread) * static_cast<std::size_t>(rows_));
    threads_.release(thread);
  }

  std::size_t bytes_held() const { return places_.span() * sizeof(Ordinal); }

 private:
  using Host = std::conditional_t<analysis::is_host_space<Space>, Space, Kokkos::DefaultHostExecutionSpace>;
  Kokkos::Experimental::UniqueToken<Host, Kokkos::Experimental::UniqueTokenScope::Global> threads_;
  Kokkos::View<Ordinal*, analysis::Device<Space>> places_;
  Ordinal rows_ = 0;
};

}  // namespace terrace::incomplete
