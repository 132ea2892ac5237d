// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that several threads of a host do, or one where that has turned out to be faster (parallel_watch.hpp).
//
// Kernels of a host are done when they return, so two looks at the clock say how long the work took.
#pragma once

#include <chrono>
#include <optional>

#include "parallel/parallel_watch.hpp"
#include "parallel/patience.hpp"

namespace terrace::parallel {

template <class Clock = std::chrono::steady_clock>
class WatchedWork {
 public:
  /// Nobody watches; the threads do the work.
  WatchedWork() = default;

  /// `predicted`: seconds that one thread takes for a unit.
  explicit WatchedWork(double predicted) : watch_(predicted) {}

  /// Calls work(one_thread), which does so many units.
  template <class Work>
  void run(double units, const Work& work) {
    if (!watch_) return work(false);
    const auto begin = Clock::now();
    work(watch_->wants_one_thread());
    watch_->took(units, std::chrono::duration<double>(Clock::now() - begin).count());
  }

  /// For so many units by several threads.
  Patience patience(double units) const { return watch_ ? Patience(units * watch_->patience()) : Patience(); }

  /// For work that is not watched itself.
  bool wants_one_thread() const { return watch_ && watch_->wants_one_thread(); }

  /// Why one thread does the work now; empty when several do.
  std::string reason_for_one_thread() const {
    return watch_ && watch_->has_set_aside() ? watch_->reason() : std::string();
  }

 private:
  std::optional<ParallelWatch> watch_;
};

}  // namespace terrace::parallel
