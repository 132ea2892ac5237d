// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times a call often enough to trust the median, and not longer than a person waits.
#pragma once

#include <chrono>
#include <vector>

#include "support/median.hpp"

namespace terrace::tools {

/// One call to warm up, then 3 to 50 timed ones within about a tenth of a second. Returns the median in seconds.
template <class Call>
double median_seconds(const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  call();
  std::vector<double> seconds;
  const auto begin = Clock::now();
  while (seconds.size() < 3 || (seconds.size() < 50 && since(begin) < 0.1)) {
    const auto call_begin = Clock::now();
    call();
    seconds.push_back(since(call_begin));
  }
  return median(seconds);
}

}  // namespace terrace::tools
