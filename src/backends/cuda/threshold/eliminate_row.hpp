// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row of ILUT or ICT by a warp: the algorithm of incomplete/threshold/elimination.hpp, with its choices and the order
// of its sums. A step takes the entries of row k of U side by side; they have different columns, so no two lanes touch
// one value, and every w_j takes its products by ascending k.
//
// Which column comes next? The entries of A stand in front, in order, and are passed one by one. Columns that filled
// in stand behind them; those left of the diagonal and behind the last step have not had their turn, and the lanes look
// for the smallest. That is short where rows of U are short, and no more than the products are where they are long.
//
// That is for rows in shared memory; eliminate_long_row.hpp has those that do not fit.
#pragma once

#include "backends/cuda/threshold/finish_row.hpp"
#include "backends/cuda/threshold/finished_upper.hpp"

namespace terrace::cuda::threshold {

template <class Row, class Offset>
class WarpElimination {
  using Scalar = typename Row::Scalar;
  using Real = typename Row::Real;
  using System = ThresholdSystem<Scalar, Offset>;
  using Upper = UpperRow<Scalar, Offset>;

 public:
  __device__ WarpElimination(const System& system, Row& w, StoreShare& share)
      : system_(system), of_(system.elimination), w_(w), share_(share), lane_(threadIdx.x % warp_size) {}

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
    const WaitForUpper<Scalar, Offset> wait_for_upper(system_, row_);
    int k = -1, passed = 0, steps = 0;
    for (int place = next_place(k, passed); place >= 0; place = next_place(k, passed)) {
      const Scalar before = w_.values[place];
      if (!of_.symmetric && before == Scalar(0)) continue;
      ++steps;
      Upper upper;
      const Outcome outcome = wait_for_upper(k, steps, upper);
      if (outcome != Outcome::Finished) return outcome;
      Entry own = entry_of(upper, lane_);
      const Scalar multiplier = of_.symmetric ? of_.mirror_image(find_in(own, upper, k))
                                              : terrace::incomplete::rounded_quotient(before, upper.pivot);
      const bool is_small = !of_.symmetric && terrace::incomplete::rounded_size(multiplier) < drop_below;
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
      if (is_entry) w_.values[place] += -terrace::incomplete::rounded_product(factor, own.value);
      __syncwarp();
      base += warp_size;
      if (base >= upper.count) return true;
      own = entry_of(upper, base + lane_);
    }
  }

  const System& system_;
  const typename System::Elimination& of_;
  Row& w_;
  StoreShare& share_;
  int lane_, row_ = 0, loaded_ = 0, diagonal_ = 0;
  std::int64_t dropped_ = 0;
  terrace::incomplete::RowNorms<Real> norms_{};
};

}  // namespace terrace::cuda::threshold
