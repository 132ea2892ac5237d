// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/neighbours.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

namespace terrace::tools {
namespace {

/// Linux counts the threads that run at this moment in the fourth word of /proc/loadavg, ours included.
int running_elsewhere() {
  std::ifstream file("/proc/loadavg");
  double averages[3];
  int running = 1;
  file >> averages[0] >> averages[1] >> averages[2] >> running;
  return file ? running - 1 : 0;
}

}  // namespace

bool cores_are_contested(int own_threads) {
  int least = running_elsewhere();  // of a few looks, so that a passing wave of work does not count
  for (int look = 0; look < 4; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    least = std::min(least, running_elsewhere());
  }
  return least + own_threads > static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace terrace::tools
