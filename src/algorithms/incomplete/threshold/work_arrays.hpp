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

  Ordinal* columns;
  Scalar* values;
  typename Row::Real* sizes;
  unsigned* occupied;
  unsigned* selected;
  unsigned capacity;
  int bits;

  KOKKOS_FUNCTION Row of(unsigned worker) const {
    const std::size_t list = static_cast<std::size_t>(worker) * capacity;
    const std::size_t table = static_cast<std::size_t>(worker) << bits;
    return {columns + table, values + table, sizes + table, occupied + list, selected + list, capacity, bits};
  }
};

template <class Scalar, class Ordinal, class Space>
class WorkRoom {
 public:
  using Real = RealOf<Scalar>;

  /// On a device 2,048 rows under way take some 200 MB.
  static constexpr int first_bits = analysis::is_host_space<Space> ? 16 : 12;
  static constexpr unsigned most_workers = analysis::is_host_space<Space> ? ~0u : 2048u;

  WorkRoom(const Space& space, Ordinal rows, int bits = first_bits)
      : rows_(rows),
        workers_(std::min({static_cast<unsigned>(space.concurrency()), static_cast<unsigned>(rows), most_workers})) {
    allocate(space, std::min(bits, enough_bits()));
  }

  unsigned workers() const { return workers_; }

  WorkArrays<Scalar, Ordinal> for_kernels() const {
    return {columns_.data(), values_.data(), sizes_.data(), occupied_.data(), selected_.data(), capacity_, bits_};
  }

  /// Four times the room, which is enough at the latest when each column has a place.
  void grow(const Space& space) { allocate(space, std::min(bits_ + 2, enough_bits())); }

 private:
  int enough_bits() const { return static_cast<int>(std::bit_width(static_cast<unsigned>(rows_ - 1))); }

  /// Gives back before it takes.
  template <class T>
  static void renew(const Space& space, Kokkos::View<T*, analysis::Device<Space>>& view, const char* label,
                    std::size_t count) {
    view = {};
    view = analysis::uninitialized<T>(space, label, count);
  }

  void allocate(const Space& space, int bits) {
    bits_ = bits;
    capacity_ = bits == enough_bits() ? static_cast<unsigned>(rows_) : (1u << bits) / 2;
    const std::size_t tables = std::size_t(workers_) << bits, lists = std::size_t(workers_) * capacity_;
    renew(space, columns_, "terrace::incomplete::columns", tables);
    renew(space, values_, "terrace::incomplete::row_values", tables);
    renew(space, sizes_, "terrace::incomplete::sizes", tables);
    renew(space, occupied_, "terrace::incomplete::occupied", lists);
    renew(space, selected_, "terrace::incomplete::selected", lists);
    Kokkos::deep_copy(space, columns_, WorkingRow<Scalar, Ordinal>::empty);
  }

  Ordinal rows_;
  unsigned workers_;
  int bits_ = 0;
  unsigned capacity_ = 0;
  Kokkos::View<Ordinal*, analysis::Device<Space>> columns_;
  Kokkos::View<Scalar*, analysis::Device<Space>> values_;
  Kokkos::View<Real*, analysis::Device<Space>> sizes_;
  Kokkos::View<unsigned*, analysis::Device<Space>> occupied_, selected_;
};

}  // namespace terrace::incomplete
