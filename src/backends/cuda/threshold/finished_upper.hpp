// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of U that others finish: where they stand, and how a warp waits for one.
#pragma once

#include "backends/cuda/threshold/system.hpp"
#include "backends/cuda/threshold/tuning.hpp"

namespace terrace::cuda::threshold {

/// What became of a row.
enum class Outcome { Finished, GivenUp, TooLong, Stopped };

/// A finished row of U: its pivot, and what stands behind it.
template <class Scalar, class Offset>
struct UpperRow {
  const int* columns;
  const Scalar* values;
  int count;
  Scalar pivot;

  UpperRow() = default;
  template <class Finished>
  __device__ UpperRow(const Finished& finished, int k, const UpperPlace& place) {
    const auto at = static_cast<Offset>(place.position());
    columns = finished.entries + at + 1;
    values = finished.values + at + 1;
    count = place.is_too_long() ? static_cast<int>(finished.end[k] - at - 1) : place.length();
    pivot = finished.values[at];
  }
};

/// By a whole warp: `upper` is row k, which `row` needs, or else the row is given up, with the steps that it has taken,
/// or nobody shall go on. It asks without acquiring, which would empty the multiprocessor's L1 each time, and acquires
/// what it has found.
template <class Scalar, class Offset>
class WaitForUpper {
  using System = ThresholdSystem<Scalar, Offset>;

 public:
  __device__ WaitForUpper(const System& system, int row)
      : system_(system), of_(system.elimination), row_(row), lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  __device__ __forceinline__ Outcome operator()(int k, int steps, UpperRow<Scalar, Offset>& upper) const {
    UpperPlace place(look_acquire(system_.states.published + k));
    if (__any_sync(all_lanes, place.word() == 0)) {
      const Outcome outcome = wait(k, steps, place);
      if (outcome != Outcome::Finished) return outcome;
    }
    upper = {of_.finished, k, place};
    return Outcome::Finished;
  }

 private:
  __device__ Outcome wait(int k, int steps, UpperPlace& place) const {
    for (int looks = 0;; ++looks) {
      if (__all_sync(all_lanes, parallel::relaxed_load(system_.states.published[k]) != 0)) {
        place = UpperPlace(look_acquire(system_.states.published + k));
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
      if (__any_sync(all_lanes, is_given_up)) return lose(steps);
    }
  }

  /// Stops the run where too many are lost.
  __device__ Outcome lose(int steps) const {
    bool are_too_many = false;
    if (lane_ == 0) {
      const std::int64_t before = parallel::fetch_add(of_.progress->lost, static_cast<std::int64_t>(steps));
      are_too_many = of_.finished.claim_order != nullptr && before > system_.most_lost;
      if (are_too_many) parallel::release_store(of_.progress->loses_steps, 1u);
    }
    return __any_sync(all_lanes, are_too_many) ? Outcome::Stopped : Outcome::GivenUp;
  }

  const System& system_;
  const typename System::Elimination& of_;
  int row_, lane_;
};

}  // namespace terrace::cuda::threshold
