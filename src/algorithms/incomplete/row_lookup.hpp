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

/// As many arrays of positions as the instance has threads; none where rows are short, and none on a device. A thread
/// takes one that is free. Thread numbers would not do: in a parallel region of the caller, and under nested ones, they
/// are neither different nor below the number of threads.
template <class Ordinal, class Space>
class PositionArrays {
 public:
  static constexpr int long_row = 16;

  PositionArrays() = default;

  /// The arrays hold less than the factor where all rows are long, whatever their number.
  template <class Offset>
  PositionArrays(const Space& space, const MergedPattern<Ordinal, Offset, Space>& merged) {
    if constexpr (parallel::is_host_space<Space>) {
      const auto rows = static_cast<std::size_t>(merged.count);
      if (merged.entries.extent(0) < long_row * rows) return;
      rows_ = merged.count;
      arrays_ = static_cast<unsigned>(space.concurrency());
      places_ = parallel::uninitialized<Ordinal>(space, "terrace::incomplete::places", rows * std::size_t(arrays_));
      Kokkos::deep_copy(space, places_, Ordinal(-1));
      is_taken_ = parallel::zeros<unsigned>(space, "terrace::incomplete::places_taken", arrays_ * apart);
    }
  }

  KOKKOS_FUNCTION bool serve(std::size_t row_length) const { return places_.data() && row_length >= long_row; }

  /// Calls `use`, which waits for nobody, with an array that no other thread has.
  template <class Use>
  KOKKOS_FUNCTION void with_places(const Use& use) const {
    unsigned array = likely_array();
    for (int turns = 0; parallel::fetch_exchange(is_taken_.data()[array * apart], 1u) != 0;) {
      array = array + 1 == arrays_ ? 0 : array + 1;
      parallel::wait_a_little(turns);
    }
    use(places_.data() + static_cast<std::size_t>(array) * static_cast<std::size_t>(rows_));
    parallel::release_store(is_taken_.data()[array * apart], 0u);
  }

  std::size_t bytes_held() const { return places_.span() * sizeof(Ordinal) + is_taken_.span() * sizeof(unsigned); }

 private:
  static constexpr unsigned apart = 32;  // flags of two threads lie in different cache lines

  /// Threads have stacks far from each other, and the same one each time.
  KOKKOS_FUNCTION unsigned likely_array() const {
    const unsigned here = 0;
    return static_cast<unsigned>((reinterpret_cast<std::uintptr_t>(&here) >> 16) * 0x9E3779B1u >> 8) % arrays_;
  }

  Kokkos::View<Ordinal*, parallel::Device<Space>> places_;
  Kokkos::View<unsigned*, parallel::Device<Space>> is_taken_;
  Ordinal rows_ = 0;
  unsigned arrays_ = 1;
};

}  // namespace terrace::incomplete
