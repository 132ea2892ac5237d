// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of the working rows: one for each worker, all of one size, which grows when a row does not fit.
#pragma once

#include <bit>

#include "algorithms/incomplete/threshold/working_row.hpp"

namespace terrace::incomplete {

/// The kernels' side.
template <class Scalar, class Ordinal>
struct WorkArrays {
  using Row = WorkingRow<Scalar, Ordinal>;

  Ordinal* places;
  Ordinal* columns;
  Scalar* values;
  typename Row::Real* sizes;
  Ordinal* selected;
  Ordinal capacity;
  int bits;

  KOKKOS_FUNCTION Row of(unsigned worker) const {
    const std::size_t list = static_cast<std::size_t>(worker) * static_cast<std::size_t>(capacity);
    const std::size_t table = static_cast<std::size_t>(worker) << bits;
    return {places + table, columns + list, values + list, sizes + list, selected + list, capacity, bits};
  }
};

template <class Scalar, class Ordinal, class Space>
class WorkRoom {
 public:
  using Real = RealOf<Scalar>;

  /// A host's table stays in its second cache; on a device 2,048 rows under way take some 100 MB.
  static constexpr int first_bits = analysis::is_host_space<Space> ? 16 : 12;
  static constexpr unsigned most_workers = analysis::is_host_space<Space> ? ~0u : 2048u;

  WorkRoom(const Space& space, Ordinal rows, int bits = first_bits)
      : rows_(rows),
        workers_(std::min({static_cast<unsigned>(space.concurrency()), static_cast<unsigned>(rows), most_workers})) {
    allocate(space, std::min(bits, enough_bits()));
  }

  unsigned workers() const { return workers_; }

  WorkArrays<Scalar, Ordinal> for_kernels() const {
    return {places_.data(), columns_.data(), values_.data(), sizes_.data(), selected_.data(), capacity_, bits_};
  }

  /// Four times the room, which is enough at the latest when each column has a place.
  void grow(const Space& space) { allocate(space, std::min(bits_ + 2, enough_bits())); }

 private:
  int enough_bits() const { return static_cast<int>(std::bit_width(static_cast<unsigned>(rows_ - 1))); }

  void allocate(const Space& space, int bits) {
    bits_ = bits;
    capacity_ = bits == enough_bits() ? rows_ : static_cast<Ordinal>(1u << bits) / 2;
    const std::size_t lists = static_cast<std::size_t>(workers_) * static_cast<std::size_t>(capacity_);
    places_ = {};  // gives back before it takes
    places_ = analysis::uninitialized<Ordinal>(space, "terrace::incomplete::places", std::size_t(workers_) << bits);
    Kokkos::deep_copy(space, places_, WorkingRow<Scalar, Ordinal>::nowhere);
    columns_ = selected_ = {};
    columns_ = analysis::uninitialized<Ordinal>(space, "terrace::incomplete::columns", lists);
    selected_ = analysis::uninitialized<Ordinal>(space, "terrace::incomplete::selected", lists);
    values_ = {};
    values_ = analysis::uninitialized<Scalar>(space, "terrace::incomplete::row_values", lists);
    sizes_ = {};
    sizes_ = analysis::uninitialized<Real>(space, "terrace::incomplete::sizes", lists);
  }

  Ordinal rows_;
  unsigned workers_;
  int bits_ = 0;
  Ordinal capacity_ = 0;
  Kokkos::View<Ordinal*, analysis::Device<Space>> places_, columns_, selected_;
  Kokkos::View<Scalar*, analysis::Device<Space>> values_;
  Kokkos::View<Real*, analysis::Device<Space>> sizes_;
};

}  // namespace terrace::incomplete
