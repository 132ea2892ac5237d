// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fstream>

#include "harness/measured_space.hpp"

namespace terrace::perf {

std::string cpu_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line))
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace terrace::perf
