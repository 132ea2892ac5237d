// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of the working rows: one for each worker, all of one size, which grows when a row does not fit.
//
// One long row makes it grow for all of them. There are as many workers as a budget has capacity for, and fewer where
// the memory cannot be had; the factor has the same bits with one.
#pragma once

#include <algorithm>
#include <bit>
#include <exception>
#include <limits>

#include "algorithms/incomplete/threshold/working_row.hpp"
#include "backends/waiting.hpp"
#include "parallel/functor_as_argument.hpp"

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
  unsigned workers;

  KOKKOS_FUNCTION Row of(unsigned worker) const {
    const std::size_t list = static_cast<std::size_t>(worker) * capacity;
    const std::size_t table = static_cast<std::size_t>(worker) << bits;
    return {columns + table, values + table, sizes + table, occupied + list, selected + list, capacity, bits};
  }
};

/// Tables of 2^bits places, in which columns stand.
struct WorkTable {
  /// On a device 2,048 rows under way take some 200 MB.
  static constexpr int first_bits_of_host = 16, first_bits_of_device = 12;

  /// Four times the capacity, which is enough at the latest when each column has a place.
  static constexpr int bits_of_growth = 2;

  template <class Ordinal>
  static int enough_bits(Ordinal rows) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(rows - 1)));
  }

  /// Columns that a row may have.
  template <class Ordinal>
  static unsigned capacity(int bits, Ordinal rows) {
    return bits == enough_bits(rows) ? static_cast<unsigned>(rows) : (1u << bits) / 2;
  }
};

/// Bytes for the working rows of all workers together.
struct WorkBudget {
  static constexpr std::size_t most = std::size_t(4) << 30;
  static constexpr std::size_t part_of_free_memory = 4;  // one of so many
};

/// Of `space`, as far as it knows; backends that do overload this.
template <class Space>
std::size_t free_memory(const Space&, WorkBudget) {
  return std::numeric_limits<std::size_t>::max();
}

/// As many as `bytes` have capacity for, but one at least.
inline unsigned affordable_workers(unsigned wanted, std::size_t bytes_of_worker, std::size_t bytes) {
  const std::size_t fitting = bytes / std::max<std::size_t>(bytes_of_worker, 1);
  return static_cast<unsigned>(std::clamp<std::size_t>(fitting, 1, std::max(wanted, 1u)));
}

/// On a host an iteration for each worker; on a device a team of one thread.
template <class Space, class Functor>
void for_each_worker(const Space& space, const char* label, unsigned workers, const Functor& functor) {
  if constexpr (parallel::is_host_space<Space>) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(space, 0u, workers), functor);
  } else {
    const Kokkos::TeamPolicy<Space> each_worker(space, static_cast<int>(workers), 1);
    Kokkos::parallel_for(label, parallel::functor_as_argument(each_worker), functor);
  }
}

template <class Scalar, class Ordinal, class Space>
class WorkMemory {
 public:
  using Real = RealOf<Scalar>;

  static constexpr int first_bits =
      parallel::is_host_space<Space> ? WorkTable::first_bits_of_host : WorkTable::first_bits_of_device;

  /// Rows wait for each other.
  static constexpr unsigned max_workers = parallel::is_host_space<Space>            ? ~0u
                                          : parallel::running_threads_get_on<Space> ? 2048u
                                                                                    : 1u;

  WorkMemory(const Space& space, Ordinal rows, int bits = first_bits, std::size_t max_bytes = WorkBudget::most)
      : rows_(rows),
        max_bytes_(max_bytes),
        workers_(std::min({static_cast<unsigned>(space.concurrency()), static_cast<unsigned>(rows), max_workers})) {
    allocate(space, std::min(bits, WorkTable::enough_bits(rows_)));
  }

  unsigned workers() const { return workers_; }

  /// Of a store from which rows take what they need.
  std::size_t capacity_for(std::size_t entries) const { return entries; }

  template <class Elimination>
  void forget_rows(const Space&, const Elimination&) const {}

  /// Enqueues the elimination of the rows that are not finished.
  template <class Elimination>
  void start(const Space& space, Elimination elimination) const {
    elimination.work = for_kernels();
    for_each_worker(space, "terrace::incomplete::eliminate_by_threshold", workers_, elimination);
  }

  WorkArrays<Scalar, Ordinal> for_kernels() const {
    return {columns_.data(),  values_.data(), sizes_.data(), occupied_.data(),
            selected_.data(), capacity_,      bits_,         workers_};
  }

  void grow(const Space& space) {
    allocate(space, std::min(bits_ + WorkTable::bits_of_growth, WorkTable::enough_bits(rows_)));
  }

 private:
  std::size_t bytes_of_worker() const {
    return ((sizeof(Ordinal) + sizeof(Scalar) + sizeof(Real)) << bits_) + 2 * sizeof(unsigned) * std::size_t(capacity_);
  }

  /// Gives back before it takes.
  void allocate(const Space& space, int bits) {
    bits_ = bits;
    capacity_ = WorkTable::capacity(bits, rows_);
    give_back();
    const std::size_t free_bytes = free_memory(space, WorkBudget());
    workers_ = affordable_workers(workers_, bytes_of_worker(),
                                  std::min(max_bytes_, free_bytes / WorkBudget::part_of_free_memory));
    while (!takes(space)) workers_ /= 2;
    parallel::fill(space, columns_, WorkingRow<Scalar, Ordinal>::empty);
  }

  /// False when the memory cannot be had for so many workers. \throws what the allocation throws when it is for one.
  bool takes(const Space& space) {
    try {
      take(space);
      return true;
    } catch (const std::exception&) {
      give_back();
      if (workers_ == 1) throw;
      return false;
    }
  }

  void take(const Space& space) {
    const std::size_t tables = std::size_t(workers_) << bits_, lists = std::size_t(workers_) * capacity_;
    columns_ = parallel::uninitialized<Ordinal>(space, "terrace::incomplete::columns", tables);
    values_ = parallel::uninitialized<Scalar>(space, "terrace::incomplete::row_values", tables);
    sizes_ = parallel::uninitialized<Real>(space, "terrace::incomplete::sizes", tables);
    occupied_ = parallel::uninitialized<unsigned>(space, "terrace::incomplete::occupied", lists);
    selected_ = parallel::uninitialized<unsigned>(space, "terrace::incomplete::selected", lists);
  }

  void give_back() {
    columns_ = {};
    values_ = {};
    sizes_ = {};
    occupied_ = selected_ = {};
  }

  Ordinal rows_;
  std::size_t max_bytes_;
  unsigned workers_;
  int bits_ = 0;
  unsigned capacity_ = 0;
  Kokkos::View<Ordinal*, parallel::Device<Space>> columns_;
  Kokkos::View<Scalar*, parallel::Device<Space>> values_;
  Kokkos::View<Real*, parallel::Device<Space>> sizes_;
  Kokkos::View<unsigned*, parallel::Device<Space>> occupied_, selected_;
};

}  // namespace terrace::incomplete
