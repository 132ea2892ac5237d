// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers of a host that wait for others more than they work, and leave.
//
// On cores that other programs use, too, a row that is waited for may be that of a thread which has lost its core: each
// wait takes a time slice of the scheduler, and a thousand of them a thousand times as long as a row. Whoever waits for
// most of its time adds little, so it can go; the others find fewer to wait for. They leave one by one, the one of the
// highest number first, and each is judged by what it did since the one before it left, so that those stay whose work
// is needed. Worker 0 never leaves.
#pragma once

#include <chrono>

#include "parallel/concurrency.hpp"

namespace terrace::incomplete {

/// Seconds on a host; on a device time stands still.
struct HostSeconds {
  KOKKOS_FUNCTION static double now() {
    KOKKOS_IF_ON_HOST(
        (return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();))
    KOKKOS_IF_ON_DEVICE((return 0;))
  }
};

/// What a worker has waited. Short waits are not counted: looking at the clock takes as long.
template <class Clock = HostSeconds>
class WaitingAccount {
 public:
  static constexpr int turns_of_short_wait = 128;  // of parallel::wait_a_little
  static constexpr double judged_from = 5e-3;      // seconds of waiting
  static constexpr double too_much = 3.0;          // times as long as it works

  KOKKOS_FUNCTION WaitingAccount(unsigned worker, unsigned workers) : worker_(worker), workers_(workers) {}

  /// Waits until is_over(); `turn` is called each time that it is not, and is false to give up.
  template <class IsOver, class Turn>
  KOKKOS_FUNCTION bool wait(const IsOver& is_over, const Turn& turn) {
    double since = 0;
    int turns = 0;
    while (!is_over()) {
      if (!turn(turns)) return false;
      if (turns == turns_of_short_wait) since = Clock::now();
    }
    if (turns >= turns_of_short_wait) waited_ += Clock::now() - since;
    return true;
  }

  /// Whether the worker shall claim nothing more. `left`: how many have left, which it then is one of.
  KOKKOS_FUNCTION bool leaves(unsigned& left) {
    if (worker_ == 0 || parallel::relaxed_load(left) != workers_ - 1 - worker_) return false;
    if (!is_next_) {
      is_next_ = true;
      begin();
    }
    if (waited_ < judged_from) return false;
    const double worked = Clock::now() - begun_ - waited_;
    if (waited_ > too_much * worked) {
      parallel::release_store(left, workers_ - worker_);
      return true;
    }
    begin();
    return false;
  }

 private:
  KOKKOS_FUNCTION void begin() {
    begun_ = Clock::now();
    waited_ = 0;
  }

  unsigned worker_, workers_;
  bool is_next_ = false;  // all of a higher number have left
  double begun_ = 0, waited_ = 0;
};

}  // namespace terrace::incomplete
