// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long tests go on that find more the longer they do.
#pragma once

#include <chrono>
#include <cstdlib>

namespace terrace::test {

/// TERRACE_TEST_SECONDS, or what is usual.
inline std::chrono::duration<double> time_to_spend(double usual_seconds) {
  const char* seconds = std::getenv("TERRACE_TEST_SECONDS");
  return std::chrono::duration<double>(seconds ? std::atof(seconds) : usual_seconds);
}

}  // namespace terrace::test
