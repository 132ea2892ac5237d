// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

namespace terrace::test {

/// A clock that is looked at before and after each piece of work. The first pieces take a second each, the others a
/// microsecond.
struct SlowAtFirst {
  using duration = std::chrono::duration<double>;
  using time_point = std::chrono::time_point<SlowAtFirst, duration>;
  static constexpr int slow = 3;
  static inline int looks = 0;
  static inline double seconds = 0;

  static time_point now() {
    if (looks % 2 == 1) seconds += looks / 2 < slow ? 1.0 : 1e-6;
    ++looks;
    return time_point(duration(seconds));
  }
};

}  // namespace terrace::test
