// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row of ILUT or ICT by a warp: the algorithm of incomplete/threshold/elimination.hpp, with its choices and the order
// of its sums. A step takes the entries of row k of U side by side; they have different columns, so no two lanes touch
// one value, and every w_j takes its products by ascending k.
//
// Which column comes next? The entries of A stand in front, in order, and are passed one by one. Columns that filled
// in stand behind them; those left of the diagonal and behind the last step have not had their turn, and the lanes look
// for the smallest. That is short where rows of U are short, and no more than the products are where they are long.
//
// A row that lies in device memory may have very many steps: rows of U that its entries of A need are brought together
// into shared memory, 32 at a time (staged_rows.hpp).
#pragma once

#include "backends/cuda/threshold/finish_row.hpp"
#include "backends/cuda/threshold/staged_rows.hpp"
#include "backends/cuda/threshold/tuning.hpp"

namespace terrace::cuda::threshold {

/// What became of a row.
enum class Outcome { Finished, GivenUp, TooLong, Stopped };

/// `Stages`: the row lies in device memory, and its warp has shared memory for others.
template <class Row, class Offset, bool Stages = false>
class WarpElimination {
  using Scalar = typename Row::Scalar;
  using Real = typename Row::Real;
  using System = ThresholdSystem<Scalar, Offset>;
  using Upper = UpperRow<Scalar, Offset>;

 public:
  /// `memory`: so many bytes in shared memory, where it stages rows.
  __device__ WarpElimination(const System& system, Row& w, StoreShare& share, unsigned char* memory = nullptr,
                             std::size_t bytes = 0)
      : system_(system),
        of_(system.elimination),
        w_(w),
        share_(share),
        staged_(memory, bytes),
        lane_(threadIdx.x % warp_size) {}

  /// By all lanes, with an empty w. Takes capacity in the store for so many entries at once. `dropped` grows where the
  /// row is finished.
  __device__ __forceinline__ Outcome eliminate(int row, std::size_t store_claim, std::int64_t& dropped) {
    row_ = row;
    dropped_ = 0;
    norms_ = system_.norms[row];
    if (!load()) return Outcome::TooLong;
    const Outcome outcome = take_steps();
    if (outcome != Outcome::Finished) return outcome;
    const RowFinish<Row, Offset> finish(system_, w_, row_, diagonal_, norms_);
    if (!finish.finish(share_, store_claim, dropped_)) return Outcome::Stopped;
    dropped += dropped_;
    return Outcome::Finished;
  }

 private:
  static constexpr int none = std::numeric_limits<int>::max();

  /// Places are those of the entries in the row of A.
  __device__ __forceinline__ bool load() {
    const Offset begin = of_.pattern.row_map[row_];
    const auto length = static_cast<std::size_t>(of_.pattern.row_map[row_ + 1] - begin);
    if (length > static_cast<std::size_t>(w_.capacity())) return false;
    loaded_ = w_.count = static_cast<int>(length);
    for (int base = 0; base < loaded_; base += warp_size) {
      const int place = base + lane_;
      int column = -1;
      if (place < loaded_) {
        const Offset p = begin + static_cast<Offset>(place);
        column = of_.pattern.entries[p];
        w_.enter(column, place, w_.first_slot(column));
        w_.values[place] += of_.matrix(row_, p);
        if (column == row_) w_.values[place] = w_.values[place] * of_.diagonal_factor;
      }
      const unsigned diagonal = __ballot_sync(all_lanes, column == row_);
      if (diagonal != 0) diagonal_ = base + __ffs(static_cast<int>(diagonal)) - 1;
    }
    __syncwarp();
    return true;
  }

  /// The place of the smallest column left of the diagonal that comes behind `last`, which becomes it; negative when
  /// there is none.
  __device__ __forceinline__ int next_place(int& last, int& passed) const {
    const int of_matrix = passed < diagonal_ ? w_.columns[passed] : none;
    int filled = none, place = 0;
    for (int at = loaded_ + lane_; at < w_.count; at += warp_size) {
      const int column = w_.columns[at];
      const bool is_next = (column > last) & (column < row_) & (column < filled);
      filled = is_next ? column : filled;
      place = is_next ? at : place;
    }
    if (w_.count > loaded_) {
      const int smallest = __reduce_min_sync(all_lanes, filled);
      const unsigned owners = __ballot_sync(all_lanes, filled == smallest);
      place = __shfl_sync(all_lanes, place, __ffs(static_cast<int>(owners)) - 1);
      filled = smallest;
    }
    last = min(of_matrix, filled);
    if (last == none) return -1;
    return of_matrix < filled ? passed++ : place;
  }

  __device__ __forceinline__ Outcome take_steps() {
    const Real drop_below = of_.drop_tolerance * norms_.two;
    int k = -1, passed = 0;
    steps_ = 0;
    for (int place = next_place(k, passed); place >= 0; place = next_place(k, passed)) {
      const Scalar before = w_.values[place];
      if (!of_.symmetric && before == Scalar(0)) continue;
      ++steps_;
      Upper upper;
      if (!find_staged(place, upper)) {
        UpperPlace at(look_acquire(system_.states.published + k));
        if (__any_sync(all_lanes, at.word() == 0)) {
          const Outcome outcome = wait_for(k, at);
          if (outcome != Outcome::Finished) return outcome;
        }
        upper = Upper(of_.finished, k, at);
      }
      Entry own = entry_of(upper, lane_);
      const Scalar multiplier = of_.symmetric ? of_.mirror_image(find_in(own, upper, k)) : before / upper.pivot;
      const bool is_small = !of_.symmetric && Kokkos::abs(multiplier) < drop_below;
      __syncwarp();  // all lanes have read what stands there
      if (!of_.symmetric && lane_ == 0) w_.values[place] = is_small ? Scalar(0) : multiplier;
      if (multiplier == Scalar(0)) continue;
      if (is_small) {
        ++dropped_;
        continue;
      }
      if (!subtract(multiplier, own, upper)) return Outcome::TooLong;
    }
    __syncwarp();
    return Outcome::Finished;
  }

  /// An entry of a row of U; no column where there is none.
  struct Entry {
    int column;
    Scalar value;
  };
  __device__ Entry entry_of(const Upper& upper, int at) const {
    if (at >= upper.count) return {-1, Scalar(0)};
    return {upper.columns[at], upper.values[at]};
  }

  /// u_ki, or zero.
  __device__ Scalar find_in(const Entry& own, const Upper& upper, int k) const {
    const unsigned found = __ballot_sync(all_lanes, own.column == row_);
    if (found != 0) return of_lane(own.value, __ffs(static_cast<int>(found)) - 1);
    return upper.count > warp_size ? of_.finished.upper_entry(k, row_) : Scalar(0);
  }

  /// The row of U for the entry at this place, if it is one of A and its row was staged.
  __device__ bool find_staged(int place, Upper& upper) {
    if constexpr (!Stages) return false;
    if (place >= diagonal_) return false;
    if (!staged_.includes(place)) staged_.stage(system_, w_.columns, place, diagonal_);
    return staged_.find(place, upper);
  }

  __device__ __forceinline__ bool subtract(const Scalar& factor, Entry own, const Upper& upper) {
    for (int base = 0;;) {
      const bool is_entry = own.column >= 0;
      unsigned slot = 0;
      int place = is_entry ? w_.find(own.column, slot) : 0;
      __syncwarp();
      const bool is_new = is_entry & (place < 0);
      if (__any_sync(all_lanes, is_new)) {
        const int taken = w_.take_place(is_new);
        if (taken < 0) return false;
        if (is_new) w_.enter(own.column, place = taken, slot);
      }
      if (is_entry) w_.values[place] += -(factor * own.value);
      __syncwarp();
      base += warp_size;
      if (base >= upper.count) return true;
      own = entry_of(upper, base + lane_);
    }
  }

  /// Finished: `upper` is where row k stands, in all lanes. It asks without acquiring, which would empty the
  /// multiprocessor's L1 each time, and acquires what it has found.
  __device__ Outcome wait_for(int k, UpperPlace& upper) const {
    for (int looks = 0;; ++looks) {
      if (__all_sync(all_lanes, parallel::relaxed_load(system_.states.published[k]) != 0)) {
        upper = UpperPlace(look_acquire(system_.states.published + k));
        return Outcome::Finished;
      }
      if (looks % ThresholdTuning::looks_at_row != 0) {
        __nanosleep(ThresholdTuning::pause_of_look);
        continue;
      }
      const bool stops = parallel::relaxed_load(of_.progress->stop) != 0, is_worked_on = system_.states.is_worked_on(k);
      if (__any_sync(all_lanes, stops)) return Outcome::Stopped;
      if (__any_sync(all_lanes, is_worked_on)) continue;
      bool is_given_up = false;
      if (lane_ == 0) is_given_up = system_.states.give_up(row_, k);
      if (__any_sync(all_lanes, is_given_up)) return lose_steps();
    }
  }

  /// Those of a row that is given up; stops the run where they are too many.
  __device__ Outcome lose_steps() const {
    bool are_too_many = false;
    if (lane_ == 0) {
      const std::int64_t before = parallel::fetch_add(of_.progress->lost, static_cast<std::int64_t>(steps_));
      are_too_many = of_.finished.claim_order != nullptr && before > system_.most_lost;
      if (are_too_many) parallel::release_store(of_.progress->loses_steps, 1u);
    }
    return __any_sync(all_lanes, are_too_many) ? Outcome::Stopped : Outcome::GivenUp;
  }

  const System& system_;
  const typename System::Elimination& of_;
  Row& w_;
  StoreShare& share_;
  StagedRows<Scalar, Offset> staged_;
  int lane_, row_ = 0, loaded_ = 0, diagonal_ = 0, steps_ = 0;
  std::int64_t dropped_ = 0;
  terrace::incomplete::RowNorms<Real> norms_{};
};

}  // namespace terrace::cuda::threshold
