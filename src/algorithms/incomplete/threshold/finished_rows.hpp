// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows that are finished, in the order in which they were, in one store that nobody divided beforehand.
//
// How long a row becomes shows when it is finished; then it takes as much of the store as it needs. A row that finds
// no capacity stops the run; the store is made larger, what is in it stays where it is, and the run goes on.
#pragma once

#include "algorithms/incomplete/merged_pattern.hpp"
#include "algorithms/incomplete/threshold/leave_work.hpp"

namespace terrace::incomplete {

/// What all workers share. In one cache line: a worker that claims a row or ends one has it anyway, and apart from each
/// other the numbers took two threads twice the time on rows of five entries.
struct Progress {
  unsigned next;          // the next row to claim
  unsigned stop;          // nobody shall claim rows or wait any more
  unsigned row_too_long;  // a working row had no capacity
  unsigned left;          // workers that claim nothing more (leave_work.hpp)
  unsigned loses_steps;   // the order of the claims makes workers begin too many rows anew
  std::size_t used;       // of the store; more than there is: a finished row had no capacity
  std::int64_t dropped;   // entries
  std::int64_t lost;      // steps of rows that were begun anew
};

/// What a worker has claimed and not yet begun: places in the order of the claims.
struct ClaimedRows {
  unsigned next = 0, end = 0;
  KOKKOS_FUNCTION bool are_there() const { return next != end; }
};

/// The kernels' side. Row i: columns of L ascending, the diagonal, columns of U ascending; L only where it is not U^T.
template <class Scalar, class Ordinal, class Offset>
struct FinishedRows {
  unsigned* is_finished;  // by row; so are
  Offset* begin;
  Offset* diagonal;
  Offset* end;
  Ordinal* entries;
  Scalar* values;
  std::size_t capacity;
  const Ordinal* claim_order = nullptr;  // an order in which no row comes before one that it needs; null: ascending
  const Ordinal* run_map = nullptr;      // [runs + 1]: rows that are claimed together; null: each alone
  Ordinal runs = 0;

  void keep_claims_of(const FinishedRows& other) {
    claim_order = other.claim_order;
    run_map = other.run_map;
    runs = other.runs;
  }

  /// The next row that is not finished yet; negative when there is none, or when all shall stop.
  KOKKOS_FUNCTION Ordinal claim(Progress& progress, Ordinal rows, ClaimedRows& own) const {
    while (parallel::relaxed_load(progress.stop) == 0) {
      if (!own.are_there()) {
        const unsigned claimed = parallel::fetch_increment(progress.next);
        if (claimed >= static_cast<unsigned>(run_map ? runs : rows)) break;
        own.next = run_map ? static_cast<unsigned>(run_map[claimed]) : claimed;
        own.end = run_map ? static_cast<unsigned>(run_map[claimed + 1]) : claimed + 1;
      }
      const unsigned place = own.next++;
      const auto row = claim_order ? static_cast<unsigned>(claim_order[place]) : place;
      if (parallel::relaxed_load(is_finished[row]) == 0) return static_cast<Ordinal>(row);
    }
    return -1;
  }

  /// False when the row will not be finished in this run.
  KOKKOS_FUNCTION bool wait_for(const Progress& progress, Ordinal row, WaitingAccount<>& account) const {
    return account.wait([&] { return parallel::acquire_load(is_finished[row]) != 0; },
                        [&](int& turns) {
                          if (parallel::relaxed_load(progress.stop) != 0) return false;
                          parallel::wait_a_little(turns);
                          return true;
                        });
  }

  /// u_ij of a finished row, or zero where it did not keep the entry.
  KOKKOS_FUNCTION Scalar upper_entry(Ordinal row, Ordinal column) const {
    const Offset place = sparse::find_column(entries, diagonal[row] + 1, end[row], column);
    return place < end[row] ? values[place] : Scalar(0);
  }

  /// Sets where the row will stand, or returns false.
  KOKKOS_FUNCTION bool reserve(Progress& progress, Ordinal row, unsigned lower, unsigned upper) const {
    const std::size_t length = std::size_t(lower) + 1 + upper;
    const std::size_t place = parallel::fetch_add(progress.used, length);
    if (place + length > capacity) return false;
    begin[row] = static_cast<Offset>(place);
    diagonal[row] = begin[row] + static_cast<Offset>(lower);
    end[row] = begin[row] + static_cast<Offset>(length);
    return true;
  }
};

/// Entries that a store may have.
template <class Offset>
inline constexpr std::size_t most_finished_entries = static_cast<std::size_t>(std::numeric_limits<Offset>::max());

/// Of a store that is full. \throws Error OutOfMemory when Offset cannot count more.
template <class Offset>
std::size_t grown_capacity(std::size_t capacity) {
  constexpr std::size_t most = most_finished_entries<Offset>;
  if (capacity == most)
    throw Error(ErrorCode::OutOfMemory, "the factors have more entries than the row map's type can count");
  return capacity > most / 2 ? most : 2 * capacity;
}

template <class Scalar, class Ordinal, class Offset, class Space>
class RowStore {
 public:
  RowStore(const Space& space, Ordinal rows, std::size_t capacity)
      : is_finished_(parallel::zeros<unsigned>(space, "terrace::incomplete::is_finished", rows)),
        begin_(parallel::uninitialized<Offset>(space, "terrace::incomplete::begin", rows)),
        diagonal_(parallel::uninitialized<Offset>(space, "terrace::incomplete::diagonal", rows)),
        end_(parallel::uninitialized<Offset>(space, "terrace::incomplete::end", rows)) {
    reserve(space, std::min(capacity, most_finished_entries<Offset>));
  }

  FinishedRows<Scalar, Ordinal, Offset> for_kernels() const {
    return {is_finished_.data(), begin_.data(),  diagonal_.data(), end_.data(),
            entries_.data(),     values_.data(), values_.extent(0)};
  }

  std::size_t capacity() const { return values_.extent(0); }

  /// \throws Error OutOfMemory when Offset cannot count more.
  void grow(const Space& space) { reserve(space, grown_capacity<Offset>(capacity())); }

  /// Rows that a host has finished in its own memory, whose store has so many entries in use.
  void take_from_host(const Space& space, const FinishedRows<Scalar, Ordinal, Offset>& from, std::size_t used) {
    if (used > capacity()) {
      entries_ = {};
      values_ = {};
      reserve(space, used);
    }
    copy_from_host(space, from.begin, begin_.extent(0), begin_);
    copy_from_host(space, from.diagonal, diagonal_.extent(0), diagonal_);
    copy_from_host(space, from.end, end_.extent(0), end_);
    copy_from_host(space, from.entries, used, entries_);
    copy_from_host(space, from.values, used, values_);
  }

  void forget_rows(const Space& space) { parallel::fill(space, is_finished_, 0u); }

 private:
  template <class T, class View>
  static void copy_from_host(const Space& space, T* from, std::size_t count, const View& to) {
    Kokkos::deep_copy(space, Kokkos::subview(to, Kokkos::make_pair(std::size_t(0), count)),
                      parallel::on_host(from, count));
  }

  template <class View>
  static void copy_front(const Space& space, const View& from, const View& to) {
    if (from.extent(0) > 0)
      Kokkos::deep_copy(space, Kokkos::subview(to, Kokkos::make_pair(std::size_t(0), from.extent(0))), from);
  }

  void reserve(const Space& space, std::size_t capacity) {
    const auto entries = parallel::uninitialized<Ordinal>(space, "terrace::incomplete::finished_entries", capacity);
    const auto values = parallel::uninitialized<Scalar>(space, "terrace::incomplete::finished_values", capacity);
    copy_front(space, entries_, entries);
    copy_front(space, values_, values);
    entries_ = entries;
    values_ = values;
  }

  Kokkos::View<unsigned*, parallel::Device<Space>> is_finished_;
  Kokkos::View<Offset*, parallel::Device<Space>> begin_, diagonal_, end_;
  Kokkos::View<Ordinal*, parallel::Device<Space>> entries_;
  Kokkos::View<Scalar*, parallel::Device<Space>> values_;
};

}  // namespace terrace::incomplete
