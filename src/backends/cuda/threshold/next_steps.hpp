// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The next steps of a long row, a lane for each: 32 columns left of its diagonal, ascending. In shared memory are their
// numbers, their rows of U, and where the entries of those stand in the working row. What a step would wait for, once
// and again, is waited for once in 32 steps.
//
// Steps may be taken together as long as no row of U among them touches the column of a later one.
#pragma once

#include "backends/cuda/threshold/finished_upper.hpp"
#include "backends/cuda/threshold/waiting_columns.hpp"
#include "backends/cuda/threshold/working_row.hpp"

namespace terrace::cuda::threshold {

/// Entries of rows of U, one for each lane, and what their rows are multiplied with. `place`: in the working row, or
/// one of the next steps (NextSteps::number), or absent.
template <class Scalar>
struct UpperEntries {
  bool is_one;
  int column, place;
  Scalar factor, value;
  const Scalar *factors, *values;  // of all lanes; null where they have different columns
};

/// All by a whole warp.
template <class Row, class Offset>
class NextSteps {
  using Scalar = typename Row::Scalar;
  using System = ThresholdSystem<Scalar, Offset>;
  using Entries = UpperEntries<Scalar>;

 public:
  /// `memory`: so many bytes in shared memory, aligned for Scalar.
  __device__ NextSteps(const System& system, Row& w, WaitingColumns& waiting, unsigned char* memory, std::size_t bytes)
      : system_(system),
        w_(w),
        waiting_(waiting),
        lane_(static_cast<int>(threadIdx.x) % warp_size),
        capacity_(static_cast<int>((bytes - warp_size * (3 * sizeof(Scalar) + sizeof(int))) /
                                   (sizeof(Scalar) + 2 * sizeof(int)))),
        numbers_(reinterpret_cast<Scalar*>(memory)),
        factors_(numbers_ + warp_size),
        factors_of_entries_(factors_ + warp_size),
        values_(factors_of_entries_ + warp_size),
        columns_(reinterpret_cast<int*>(values_ + capacity_)),
        places_(columns_ + capacity_),
        found_(places_ + capacity_) {}

  /// Looks for the first steps of `row` behind column `last`. Those whose rows are finished are staged; where not all
  /// of them fit, those that do are the next steps.
  __device__ void find(int row, int last) {
    return_numbers(last);
    count_ = numbered_ = waiting_.next(last, row, found_, are_more_);
    if (count_ == 0) return;
    const bool is_step = lane_ < count_;
    column_ = is_step ? found_[lane_] : none;
    const typename Row::Slot slot = is_step ? w_.slots[w_.first_slot(column_)] : 0;
    const UpperPlace upper(is_step ? look_acquire(system_.states.published + column_) : 0ull);
    if (is_step) place_ = home_ = place_from(slot, column_);
    if (is_step) numbers_[lane_] = w_.values[place_];
    cell_ = is_step ? lane_ : nowhere;
    stage(row, upper);
  }

  __device__ int count() const { return count_; }
  /// Whether there may be some behind these.
  __device__ bool are_more() const { return are_more_; }
  __device__ bool is_staged(int step) const { return (__ballot_sync(all_lanes, begin_ != nowhere) >> step & 1u) != 0; }
  __device__ int column(int step) const { return __shfl_sync(all_lanes, column_, step); }

  /// Of so many steps, from this one on, whether none is staged.
  __device__ bool is_none_staged(int step, int steps) const {
    return steps <= count_ - step && (__ballot_sync(all_lanes, begin_ != nowhere) >> step & ((1u << steps) - 1u)) == 0;
  }

  /// Of this lane's own step: w_k, and where its last value goes.
  __device__ Scalar own_number() const { return cell_ == nowhere ? w_.values[place_] : numbers_[cell_]; }
  __device__ Scalar& own_place() const { return w_.values[place_]; }
  /// The pivot of its row of U if that is staged, or l_ik itself where L is U^T.
  __device__ const Scalar& own_pivot() const { return pivot_; }

  /// The number that stands at a place that is not absent.
  __device__ Scalar& number(int place) const { return place >= 0 ? w_.values[place] : numbers_[first_cell - place]; }

  /// The place of a column that was absent.
  __device__ int place_of(int column, unsigned& slot) const {
    const int cell = cell_of(column);
    return cell != nowhere ? first_cell - cell : w_.find(column, slot);
  }

  /// The first step that may not be taken together with this one, which is staged.
  __device__ int end_of_those_with(int step) const {
    const unsigned with = __ballot_sync(all_lanes, lane_ == step || (lane_ < count_ && blocker_ < step)) >> step;
    return step + (~with == 0 ? warp_size : __ffs(static_cast<int>(~with)) - 1);
  }

  /// Calls body(Entries) for the rows of these steps, 32 entries at a time, until it returns false. `factor` is that of
  /// the lane's own step; where it is zero its row is left out.
  template <class Body>
  __device__ bool for_each_entry(int from, int to, const Scalar& factor, const Body& body) const {
    const bool has_entries = lane_ >= from && lane_ < to && length_ > 0;
    const unsigned with_entries = __ballot_sync(all_lanes, has_entries);
    if (has_entries) factors_[__popc(with_entries & ((1u << lane_) - 1u))] = factor;
    __syncwarp();
    const int begin = __shfl_sync(all_lanes, begin_, from), end = __shfl_sync(all_lanes, begin_ + length_, to - 1);
    int rows = -1;  // that began before these entries, less one
    for (int base = begin; base < end; base += warp_size) {
      const bool begins = has_entries && begin_ >= base && begin_ < base + warp_size;
      const unsigned heads = __reduce_or_sync(all_lanes, begins ? 1u << (begin_ - base) : 0u);
      Entries entries = entries_at(base + lane_, end);
      if (entries.is_one) entries.factor = factors_[rows + __popc(heads & ((2u << lane_) - 1u))];
      entries.is_one = entries.is_one && entries.factor != Scalar(0);
      entries.factors = factors_of_entries_;
      entries.values = values_ + base;
      factors_of_entries_[lane_] = entries.factor;
      __syncwarp();
      if (!body(entries)) return false;
      rows += __popc(heads);
    }
    return true;
  }

  /// The same for one step, whose factor is not zero.
  template <class Body>
  __device__ bool for_each_entry_of(int step, const Scalar& factor, const Body& body) const {
    const int begin = __shfl_sync(all_lanes, begin_, step), end = begin + __shfl_sync(all_lanes, length_, step);
    for (int base = begin; base < end; base += warp_size) {
      Entries entries = entries_at(base + lane_, end);
      entries.factor = factor;
      if (!body(entries)) return false;
    }
    return true;
  }

  /// Columns that filled in, all behind the steps that have been taken: those before the last step get their turn in
  /// between.
  __device__ void insert(bool is_one, int column, int place) {
    const int last = __shfl_sync(all_lanes, column_, count_ - 1);
    if (__any_sync(all_lanes, is_one && column > last)) are_more_ = true;
    unsigned left = __ballot_sync(all_lanes, is_one && column < last);
    if (left == 0) return;
    for (; left != 0; left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      insert_one(__shfl_sync(all_lanes, column, from), __shfl_sync(all_lanes, place, from));
    }
    find_blockers();
  }

 private:
  static constexpr int nowhere = -1, first_cell = -2, none = std::numeric_limits<int>::max(), at_once = 4;

  __device__ Entries entries_at(int at, int end) const {
    if (at >= end) return {false, 0, 0, Scalar(0), Scalar(0), nullptr, nullptr};
    return {true, columns_[at], places_[at], Scalar(0), values_[at], nullptr, nullptr};
  }

  /// To the working row, of steps that have not been taken.
  __device__ void return_numbers(int last) {
    __syncwarp();
    if (lane_ < numbered_ && found_[lane_] > last) w_.values[home_] = numbers_[lane_];
    __syncwarp();
  }

  __device__ int place_from(typename Row::Slot slot, int column) const {
    unsigned at = 0;
    return static_cast<int>(slot >> 32) == column ? static_cast<int>(slot) : w_.find(column, at);
  }

  /// Which of the numbers is that of the column.
  __device__ int cell_of(int column) const {
    int cell = 0;
#pragma unroll
    for (int stride = warp_size / 2; stride > 0; stride /= 2)
      if (cell + stride < numbered_ && found_[cell + stride] <= column) cell += stride;
    return numbered_ > 0 && found_[cell] == column ? cell : nowhere;
  }

  __device__ void stage(int row, const UpperPlace& found) {
    const auto& finished = system_.elimination.finished;
    begin_ = nowhere;
    length_ = 0;
    Offset position = 0;
    if (found.word() != 0) {
      const UpperRow<Scalar, Offset> upper(finished, column_, found);
      position = static_cast<Offset>(upper.columns - finished.entries);
      length_ = upper.count;
      pivot_ = upper.pivot;
    }
    const int up_to = sum_up_to_lane(min(length_, capacity_ + 1));
    const unsigned too_many = __ballot_sync(all_lanes, up_to > capacity_);
    const int fit = too_many == 0 ? warp_size : __ffs(static_cast<int>(too_many)) - 1;
    if (fit < count_) {
      count_ = max(fit, 1);
      are_more_ = true;
    }
    if (lane_ >= count_) column_ = none;
    if (found.word() == 0 || lane_ >= min(fit, count_)) length_ = 0;
    else begin_ = up_to - length_;
    for (int e = 0; e < length_; ++e) places_[begin_ + e] = lane_;
    __syncwarp();
    copy(position, __reduce_max_sync(all_lanes, begin_ + length_));
    if (system_.elimination.symmetric && begin_ != nowhere) {
      const int at = sparse::find_column(columns_, begin_, begin_ + length_, row);
      pivot_ = at < begin_ + length_ ? system_.elimination.mirror_image(values_[at]) : Scalar(0);
    }
    limit_ = first_that_matters();
    find_blockers();
  }

  /// The entries that are staged, and their places. Before, their places say whose they are; `position` is where the
  /// row of this lane's step stands.
  __device__ void copy(Offset position, int entries) {
    const auto& finished = system_.elimination.finished;
    for (int base = 0; base < entries; base += at_once * warp_size) {
      int columns[at_once];
      Scalar values[at_once];
      typename Row::Slot slots[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int at = base + k * warp_size + lane_, owner = at < entries ? places_[at] : 0;
        const int number = at - __shfl_sync(all_lanes, begin_, owner);
        const Offset from = __shfl_sync(all_lanes, position, owner) + static_cast<Offset>(number);
        columns[k] = at < entries ? finished.entries[from] : 0;
        values[k] = at < entries ? finished.values[from] : Scalar(0);
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) slots[k] = w_.slots[w_.first_slot(columns[k])];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int at = base + k * warp_size + lane_;
        if (at >= entries) continue;
        const int cell = cell_of(columns[k]);
        columns_[at] = columns[k];
        values_[at] = values[k];
        places_[at] = cell != nowhere ? first_cell - cell : place_from(slots[k], columns[k]);
      }
    }
    __syncwarp();
  }

  /// Of this lane's row of U: the first column before which all steps may be taken with its own. Where multipliers do
  /// not come from the working row, columns that stand there are in nobody's way.
  __device__ int first_that_matters() const {
    if (begin_ == nowhere) return nowhere;
    int e = 0;
    if (system_.elimination.symmetric)
      while (e < length_ && places_[begin_ + e] != Row::absent) ++e;
    return e < length_ ? columns_[begin_ + e] : none;
  }

  /// The last step before this lane's that is in its way; none is before a step that is not staged.
  __device__ void find_blockers() {
    int smallest = limit_;
#pragma unroll
    for (int distance = 1; distance < warp_size; distance *= 2)
      smallest = min(smallest, __shfl_up_sync(all_lanes, smallest, static_cast<unsigned>(distance)));
    smallest = __shfl_up_sync(all_lanes, smallest, 1);
    const bool is_blocked = lane_ > 0 && lane_ < count_ && smallest <= column_;
    blocker_ = begin_ == nowhere ? warp_size : is_blocked ? lane_ - 1 : nowhere;
    for (int step = lane_ - 1;; --step) {
      const int limit = __shfl_sync(all_lanes, limit_, max(step, 0));
      const bool looks = begin_ != nowhere && is_blocked && blocker_ == step && limit > column_;
      if (looks) --blocker_;
      if (!__any_sync(all_lanes, looks)) break;
    }
  }

  /// Its row is not staged. The last step falls out where there are 32 of them.
  __device__ void insert_one(int column, int place) {
    const int at = __popc(__ballot_sync(all_lanes, column_ < column));
    if (at >= count_) return;
    are_more_ = are_more_ || count_ == warp_size;
    const int from = lane_ > at ? lane_ - 1 : lane_;
    column_ = __shfl_sync(all_lanes, column_, from);
    place_ = __shfl_sync(all_lanes, place_, from);
    cell_ = __shfl_sync(all_lanes, cell_, from);
    begin_ = __shfl_sync(all_lanes, begin_, from);
    length_ = __shfl_sync(all_lanes, length_, from);
    limit_ = __shfl_sync(all_lanes, limit_, from);
    pivot_ = of_lane(pivot_, from);
    if (lane_ == at) {
      column_ = column;
      place_ = place;
      cell_ = begin_ = limit_ = nowhere;
      length_ = 0;
    }
    count_ = min(count_ + 1, warp_size);
  }

  const System& system_;
  Row& w_;
  WaitingColumns& waiting_;
  int lane_, capacity_;
  Scalar *numbers_, *factors_, *factors_of_entries_, *values_;
  int *columns_, *places_, *found_;
  int count_ = 0, numbered_ = 0;
  bool are_more_ = false;
  int home_ = 0;  // of this lane's number
  // Of this lane's step.
  int column_ = none, place_ = 0, cell_ = nowhere;
  int begin_ = nowhere, length_ = 0, limit_ = 0, blocker_ = 0;
  Scalar pivot_{};
};

}  // namespace terrace::cuda::threshold
