// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row of ILUT or ICT that lies in device memory, by a warp: the steps of eliminate_row.hpp, of which there may be
// very many, so that each must take next to nothing. What they read is brought together for 32 of them
// (next_steps.hpp), and those that do not wait for each other are taken together: their multipliers at once, and their
// products 32 at once, whatever row of U they belong to. Products that meet in one number are added by one lane, in the
// order of their steps, so that every w_j takes them by ascending k.
#pragma once

#include "backends/cuda/threshold/finish_row.hpp"
#include "backends/cuda/threshold/next_steps.hpp"

namespace terrace::cuda::threshold {

template <class Row, class Offset>
class LongElimination {
  using Scalar = typename Row::Scalar;
  using Real = typename Row::Real;
  using System = ThresholdSystem<Scalar, Offset>;

 public:
  /// `waiting` and w are empty. `memory`: so many bytes in shared memory, aligned for Scalar.
  __device__ LongElimination(const System& system, Row& w, WaitingColumns& waiting, unsigned char* memory,
                             std::size_t bytes)
      : system_(system),
        of_(system.elimination),
        w_(w),
        waiting_(waiting),
        steps_(system, w, waiting, memory, bytes),
        lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  /// By all lanes. `dropped` grows where the row is finished.
  __device__ Outcome eliminate(int row, std::int64_t& dropped) {
    row_ = row;
    norms_ = system_.norms[row];
    if (!load()) return Outcome::TooLong;
    const Outcome outcome = take_steps();
    if (outcome != Outcome::Finished) return outcome;
    StoreShare share;
    const RowFinish<Row, Offset> finish(system_, w_, row_, diagonal_, norms_);
    if (!finish.finish(share, 0, dropped_)) return Outcome::Stopped;
    dropped += dropped_;
    return Outcome::Finished;
  }

 private:
  static constexpr int loads_at_once = 4, none = std::numeric_limits<int>::max(),
                       nobody = std::numeric_limits<int>::min();

  /// Places are those of the entries in the row of A.
  __device__ bool load() {
    const Offset begin = of_.pattern.row_map[row_];
    const auto length = static_cast<std::size_t>(of_.pattern.row_map[row_ + 1] - begin);
    if (length > static_cast<std::size_t>(w_.capacity())) return false;
    w_.count = static_cast<int>(length);
    int diagonal = 0;
    for (int base = 0; base < w_.count; base += loads_at_once * warp_size) {
      int columns[loads_at_once];
      Scalar values[loads_at_once];
      unsigned slots[loads_at_once], left = 0;
#pragma unroll
      for (int k = 0; k < loads_at_once; ++k) {
        const int place = base + k * warp_size + lane_;
        columns[k] = place < w_.count ? of_.pattern.entries[begin + static_cast<Offset>(place)] : none;
        values[k] = place < w_.count ? of_.matrix(row_, begin + static_cast<Offset>(place)) : Scalar(0);
        slots[k] = w_.first_slot(columns[k]);
        left |= place < w_.count ? 1u << k : 0u;
      }
      while (left != 0) {
        unsigned entered = 0;
#pragma unroll
        for (int k = 0; k < loads_at_once; ++k)
          if ((left >> k & 1u) != 0 && w_.takes(columns[k], base + k * warp_size + lane_, slots[k])) entered |= 1u << k;
#pragma unroll
        for (int k = 0; k < loads_at_once; ++k) slots[k] = w_.behind(slots[k]);
        left &= ~entered;
      }
#pragma unroll
      for (int k = 0; k < loads_at_once; ++k) {
        const int place = base + k * warp_size + lane_, column = columns[k];
        waiting_.add(column < row_, column);
        if (column == none) continue;
        w_.columns[place] = column;
        w_.values[place] = Scalar(0) + values[k];
        if (column != row_) continue;
        diagonal = place;
        w_.values[place] = w_.values[place] * of_.diagonal_factor;
      }
    }
    diagonal_ = __reduce_max_sync(all_lanes, diagonal);
    return true;
  }

  __device__ Outcome take_steps() {
    drop_below_ = of_.drop_tolerance * norms_.two;
    taken_ = 0;
    for (int last = -1;;) {
      steps_.find(row_, last);
      int step = 0;
      while (step < steps_.count()) {
        int end = step + 1;
        if (steps_.is_staged(step)) {
          end = steps_.end_of_those_with(step);
          if (!(end - step == 1 ? take_one(step) : take_together(step, end))) return Outcome::TooLong;
        } else if (const Outcome outcome = take_unstaged(step); outcome != Outcome::Finished) {
          return outcome;
        }
        step = end;
        if (steps_.is_none_staged(step, ThresholdTuning::steps_to_find_anew)) break;  // their rows may be finished now
      }
      if (step == steps_.count() && !steps_.are_more()) return Outcome::Finished;
      last = steps_.column(step - 1);
    }
  }

  /// Steps whose rows are staged, and none of which waits for another.
  __device__ bool take_together(int from, int to) {
    const bool is_one = lane_ >= from && lane_ < to;
    const Scalar before = is_one ? steps_.own_number() : Scalar(0);
    const Multiplier found = multiplier(before, steps_.own_pivot());
    if (is_one && !of_.symmetric) steps_.own_place() = found.value;
    taken_ += __popc(__ballot_sync(all_lanes, is_one && found.is_used));
    dropped_ += __popc(__ballot_sync(all_lanes, is_one && found.is_small));
    return steps_.for_each_entry(from, to, is_one ? found.value : Scalar(0),
                                 [&](const auto& entries) { return subtract(entries); });
  }

  /// One whose row is staged.
  __device__ bool take_one(int step) {
    const Scalar factor = factor_of(step, of_lane(steps_.own_pivot(), step));
    return factor == Scalar(0) ||
           steps_.for_each_entry_of(step, factor, [&](const auto& entries) { return subtract(entries); });
  }

  __device__ Outcome take_unstaged(int step) {
    const int k = steps_.column(step);
    UpperRow<Scalar, Offset> upper;
    if (of_.symmetric || of_lane(steps_.own_number(), step) != Scalar(0)) {
      const Outcome outcome = WaitForUpper<Scalar, Offset>(system_, row_)(k, taken_, upper);
      if (outcome != Outcome::Finished) return outcome;
      if (of_.symmetric) upper.pivot = of_.mirror_image(of_.finished.upper_entry(k, row_));
    }
    const Scalar factor = factor_of(step, upper.pivot);
    if (factor == Scalar(0)) return Outcome::Finished;
    for (int base = 0; base < upper.count; base += warp_size) {
      const bool is_one = base + lane_ < upper.count;
      const int column = is_one ? upper.columns[base + lane_] : 0;
      const Scalar value = is_one ? upper.values[base + lane_] : Scalar(0);
      if (!subtract({is_one, column, Row::absent, factor, value, nullptr, nullptr})) return Outcome::TooLong;
    }
    return Outcome::Finished;
  }

  /// What a row of U is multiplied with, which takes the place of w_k; zero where the row is not used.
  struct Multiplier {
    Scalar value;
    bool is_used, is_small;
  };

  /// `pivot` is that of U, or the multiplier itself where L is U^T.
  __device__ Multiplier multiplier(const Scalar& before, const Scalar& pivot) const {
    if (of_.symmetric) return {pivot, true, false};
    if (before == Scalar(0)) return {Scalar(0), false, false};
    const Scalar found = terrace::incomplete::rounded_quotient(before, pivot);
    if (found != Scalar(0) && terrace::incomplete::rounded_size(found) < drop_below_) return {Scalar(0), true, true};
    return {found, true, false};
  }

  /// Of one step, in all lanes.
  __device__ Scalar factor_of(int step, const Scalar& pivot) {
    const Multiplier found = multiplier(of_lane(steps_.own_number(), step), pivot);
    if (lane_ == step && !of_.symmetric) steps_.own_place() = found.value;
    taken_ += found.is_used;
    dropped_ += found.is_small;
    return found.value;
  }

  /// w_j -= factor u_kj, of entries of ascending k. False where there is no capacity.
  __device__ bool subtract(const UpperEntries<Scalar>& entries) {
    int place = entries.place;
    unsigned slot = 0;
    if (entries.is_one && place == Row::absent) place = steps_.place_of(entries.column, slot);
    __syncwarp();
    const bool is_new = entries.is_one && place == Row::absent;
    if (__any_sync(all_lanes, is_new) && !enter(is_new, entries.factors == nullptr, entries.column, place, slot))
      return false;
    unsigned others = 0;  // lanes with the same place
    bool adds = entries.is_one;
    if (entries.factors != nullptr) {
      const unsigned same = __match_any_sync(all_lanes, entries.is_one ? place : nobody + lane_);
      adds = entries.is_one && (same & ((1u << lane_) - 1u)) == 0;
      others = same & ~(1u << lane_);
    }
    if (adds) {
      Scalar& number = steps_.number(place);
      Scalar sum = number + -terrace::incomplete::rounded_product(entries.factor, entries.value);
      for (; others != 0; others &= others - 1) {
        const int other = __ffs(static_cast<int>(others)) - 1;
        sum += -terrace::incomplete::rounded_product(entries.factors[other], entries.values[other]);
      }
      number = sum;
    }
    __syncwarp();
    return true;
  }

  /// New columns, which several lanes may have unless they are distinct. False where there is no capacity.
  __device__ bool enter(bool is_new, bool are_distinct, int column, int& place, unsigned slot) {
    const unsigned same = are_distinct ? 1u << lane_ : __match_any_sync(all_lanes, is_new ? column : nobody + lane_);
    const int first = __ffs(static_cast<int>(same)) - 1;
    const bool enters = is_new && first == lane_;
    const int taken = w_.take_place(enters);
    if (taken < 0) return false;
    if (enters) w_.enter(column, place = taken, slot);
    const int of_first = __shfl_sync(all_lanes, place, first);
    if (is_new) place = of_first;
    const bool waits = enters && column < row_;
    waiting_.add(waits, column);
    __syncwarp();
    steps_.insert(waits, column, place);
    return true;
  }

  const System& system_;
  const typename System::Elimination& of_;
  Row& w_;
  WaitingColumns& waiting_;
  NextSteps<Row, Offset> steps_;
  int lane_, row_ = 0, diagonal_ = 0, taken_ = 0;
  Real drop_below_{};
  std::int64_t dropped_ = 0;
  terrace::incomplete::RowNorms<Real> norms_{};
};

}  // namespace terrace::cuda::threshold
