// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/suite.hpp"
#include "peers/cusparse_objects.hpp"

namespace terrace::perf {

std::string cuda_device_name() {
  int device = 0;
  cudaDeviceProp properties;
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  return properties.name;
}

}  // namespace terrace::perf
