// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of a phase, for who wants to know it.
#pragma once

#include <Kokkos_Timer.hpp>

namespace terrace::krylov {

/// Measures a phase when it is asked to; measuring waits.
template <class Space>
class Stopwatch {
 public:
  Stopwatch(const Space& space, double* seconds) : space_(space), seconds_(seconds) {
    if (!seconds_) return;
    space_.fence("terrace::krylov::time_phases");
    timer_.reset();
  }
  ~Stopwatch() {
    if (!seconds_) return;
    space_.fence("terrace::krylov::time_phases");
    *seconds_ += timer_.seconds();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  const Space& space_;
  double* seconds_;
  Kokkos::Timer timer_;
};

}  // namespace terrace::krylov
