// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of an elimination by thresholds by the calling thread of a host, in ascending order, some at a time: between
// them it can look at what somebody else has done meanwhile. The same bits as any other way (elimination.hpp).
//
// Its memory is not of Kokkos, which, before it frees memory of a host, waits for all that devices do.
#pragma once

#include <algorithm>
#include <array>

#include "algorithms/incomplete/threshold/elimination.hpp"
#include "parallel/host_array.hpp"

namespace terrace::incomplete {

template <class ScalarType, class OrdinalType, class OffsetType>
class RowsOnHost {
 public:
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Offset = OffsetType;
  using Elimination = ThresholdElimination<Scalar, Ordinal, Offset>;
  using Finished = FinishedRows<Scalar, Ordinal, Offset>;

  /// `elimination` has its pattern and its matrix in the host's memory. Of the store, so much at first.
  RowsOnHost(const Elimination& elimination, std::size_t capacity)
      : elimination_(elimination), rows_(elimination.pattern.rows), store_(rows_, capacity) {
    const ForgetPivots<Ordinal> forget{diagnostics_.data(), rows_};
    for (int kind = 0; kind < PivotDiagnostics; ++kind) forget(kind);
    elimination_.pivots.first = diagnostics_.data();
    elimination_.progress = &progress_;
    elimination_.finished = store_.rows();
    elimination_.work = work_.arrays(WorkTable::first_bits_of_host, rows_);
  }
  RowsOnHost(const RowsOnHost&) = delete;
  RowsOnHost& operator=(const RowsOnHost&) = delete;

  /// So many more rows, or all that are left. \throws Error OutOfMemory where Offset cannot count the factor,
  /// std::bad_alloc.
  void eliminate(Ordinal rows) {
    const Ordinal first = finished_, left = rows_ - first;
    elimination_.pattern.rows = first + (rows < left ? rows : left);
    for (;;) {
      progress_.next = static_cast<unsigned>(first);
      progress_.stop = progress_.row_too_long = 0;
      elimination_(0u);
      if (progress_.stop == 0) break;
      make_capacity();
    }
    finished_ = elimination_.pattern.rows;
  }

  Ordinal count_finished() const { return finished_; }
  bool are_all_finished() const { return finished_ == rows_; }

  const Finished& finished() const { return elimination_.finished; }
  std::size_t entries() const { return progress_.used; }  // of the store, that are in use
  std::int64_t dropped() const { return progress_.dropped; }
  const std::array<Ordinal, PivotDiagnostics>& diagnostics() const { return diagnostics_; }

 private:
  template <class T>
  using Numbers = parallel::HostArray<T>;

  /// As RowStore.
  class Store {
   public:
    Store(Ordinal rows, std::size_t capacity)
        : is_finished_(static_cast<std::size_t>(rows)),
          begin_(is_finished_.size()),
          diagonal_(is_finished_.size()),
          end_(is_finished_.size()) {
      std::fill(is_finished_.begin(), is_finished_.end(), 0u);
      reserve(std::clamp<std::size_t>(capacity, 1, most_finished_entries<Offset>));
    }

    Finished rows() {
      return {is_finished_.data(), begin_.data(),  diagonal_.data(), end_.data(),
              entries_.data(),     values_.data(), values_.size()};
    }
    std::size_t capacity() const { return values_.size(); }

    void grow() { reserve(grown_capacity<Offset>(capacity())); }

   private:
    void reserve(std::size_t capacity) {
      entries_.resize(capacity);
      values_.resize(capacity);
    }

    Numbers<unsigned> is_finished_;
    Numbers<Offset> begin_, diagonal_, end_;
    Numbers<Ordinal> entries_;
    Numbers<Scalar> values_;
  };

  /// Of one working row.
  class Work {
   public:
    /// Empty, with a table of 2^bits places, or as many as suffice.
    WorkArrays<Scalar, Ordinal> arrays(int wanted_bits, Ordinal rows) {
      const int bits = std::min(wanted_bits, WorkTable::enough_bits(rows));
      const std::size_t table = std::size_t(1) << bits;
      const unsigned listed = WorkTable::capacity(bits, rows);
      columns_.assign(table, WorkingRow<Scalar, Ordinal>::empty);
      values_.resize(table);
      sizes_.resize(table);
      occupied_.resize(listed);
      selected_.resize(listed);
      return {columns_.data(), values_.data(), sizes_.data(), occupied_.data(), selected_.data(), listed, bits, 1u};
    }

   private:
    Numbers<Ordinal> columns_;
    Numbers<Scalar> values_;
    Numbers<RealOf<Scalar>> sizes_;
    Numbers<unsigned> occupied_, selected_;
  };

  void make_capacity() {
    if (progress_.row_too_long != 0)
      elimination_.work = work_.arrays(elimination_.work.bits + WorkTable::bits_of_growth, rows_);
    if (progress_.used > store_.capacity()) {
      progress_.used = store_.capacity();  // what is behind the last row that fitted stays empty
      store_.grow();
      elimination_.finished = store_.rows();
    }
  }

  Elimination elimination_;
  Ordinal rows_, finished_ = 0;
  Store store_;
  Work work_;
  Progress progress_{};
  std::array<Ordinal, PivotDiagnostics> diagnostics_{};
};

}  // namespace terrace::incomplete
