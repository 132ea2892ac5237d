// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a column stands in the row that is being eliminated: the inner question of every incomplete factorization.
//
// A short row is walked along, since the columns that are asked for ascend, in strides that grow: the last row of an
// arrow has as many entries as the matrix has rows, and each of its products is at the other end. Walking along a long
// one costs more than the products that are found. There a host's threads have an array each: where nothing that is
// dropped matters, with the row itself, so that nobody has to ask; otherwise with the position of every column (Saad's
// iw).
#pragma once

#include "algorithms/incomplete/merged_pattern.hpp"
#include "sparse/find_column.hpp"

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
    position = at = sparse::gallop_to_column(entries, at, end, column);
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

/// Whether arrays of so many bytes pay: where rows are long, or those that are have most of the products, and the
/// factor is as large; or where they are small beside it, or fit in a cache.
template <class Scalar, class Ordinal>
bool arrays_pay(std::size_t rows, std::size_t entries, std::size_t products, std::size_t bytes_of_arrays) {
  constexpr std::size_t long_row = 12, many_products = 4, small_part = 7, bytes_in_cache = std::size_t(1) << 18;
  if (bytes_of_arrays <= bytes_in_cache) return true;
  const std::size_t factor = entries * (sizeof(Scalar) + sizeof(Ordinal));
  const bool are_rows_long = entries >= long_row * rows || products >= many_products * entries;
  return bytes_of_arrays <= (are_rows_long ? factor : factor / small_part);
}

/// Arrays with a place for every column, as many as the instance has threads; none on a device, whose kernels take
/// arguments of a limited size. A thread takes one that is free. Thread numbers would not do: in a parallel region of
/// the caller, and under nested ones, they are neither different nor below the number of threads.
template <class T, class Space, bool AreOnHost = parallel::is_host_space<Space>>
class ColumnArrays {
 public:
  std::size_t bytes_held() const { return 0; }
};

template <class T, class Space>
class ColumnArrays<T, Space, true> {
 public:
  ColumnArrays() = default;

  ColumnArrays(const Space& space, std::size_t columns, const T& filled_with)
      : columns_(columns), arrays_(static_cast<unsigned>(space.concurrency())) {
    places_ = parallel::uninitialized<T>(space, "terrace::incomplete::places", columns * std::size_t(arrays_));
    parallel::fill(space, places_, filled_with);
    is_taken_ = parallel::zeros<unsigned>(space, "terrace::incomplete::places_taken", arrays_ * apart);
  }

  KOKKOS_FUNCTION bool are_there() const { return places_.data() != nullptr; }

  /// Calls `use`, which waits for nobody, with an array that no other thread has.
  template <class Use>
  KOKKOS_FUNCTION void with_array(const Use& use) const {
    if (arrays_ == 1) return use(places_.data());
    unsigned array = likely_array();
    for (int turns = 0; parallel::fetch_exchange(is_taken_.data()[array * apart], 1u) != 0;) {
      array = array + 1 == arrays_ ? 0 : array + 1;
      parallel::wait_a_little(turns);
    }
    use(places_.data() + array * columns_);
    parallel::release_store(is_taken_.data()[array * apart], 0u);
  }

  std::size_t bytes_held() const { return places_.span() * sizeof(T) + is_taken_.span() * sizeof(unsigned); }

 private:
  static constexpr unsigned apart = 32;  // flags of two threads lie in different cache lines

  /// Threads have stacks far from each other, and the same one each time.
  KOKKOS_FUNCTION unsigned likely_array() const {
    const unsigned here = 0;
    return static_cast<unsigned>((reinterpret_cast<std::uintptr_t>(&here) >> 16) * 0x9E3779B1u >> 8) % arrays_;
  }

  Kokkos::View<T*, parallel::Device<Space>> places_;
  Kokkos::View<unsigned*, parallel::Device<Space>> is_taken_;
  std::size_t columns_ = 0;
  unsigned arrays_ = 1;
};

/// What rows are eliminated in, on hosts; each may be none.
template <class Scalar, class Ordinal, class Space>
struct RowArrays {
  ColumnArrays<Scalar, Space> rows;        // a row by column
  ColumnArrays<Ordinal, Space> positions;  // the position of each column, or -1

  RowArrays() = default;

  /// `products`: that the elimination looks at. `asks_what_is_dropped`: those outside the pattern have to be told from
  /// others.
  template <class Offset>
  RowArrays(const Space& space, const MergedPattern<Ordinal, Offset, Space>& merged, std::int64_t products,
            bool asks_what_is_dropped) {
    if constexpr (parallel::is_host_space<Space>) {
      const auto columns = static_cast<std::size_t>(merged.count), entries = merged.entries.extent(0);
      const auto pay = [&](std::size_t bytes_of_place) {
        const std::size_t bytes = columns * bytes_of_place * static_cast<std::size_t>(space.concurrency());
        return arrays_pay<Scalar, Ordinal>(columns, entries, static_cast<std::size_t>(products), bytes);
      };
      if (!asks_what_is_dropped && pay(sizeof(Scalar))) rows = {space, columns, Scalar(0)};
      if (asks_what_is_dropped && pay(sizeof(Ordinal))) positions = {space, columns, Ordinal(-1)};
    }
  }

  std::size_t bytes_held() const { return rows.bytes_held() + positions.bytes_held(); }
};

}  // namespace terrace::incomplete
