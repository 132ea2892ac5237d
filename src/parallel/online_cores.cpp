// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parallel/online_cores.hpp"

#include <unistd.h>

#include <algorithm>

namespace terrace::parallel {

unsigned online_cores() {
  static const auto cores = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return cores;
}

}  // namespace terrace::parallel
