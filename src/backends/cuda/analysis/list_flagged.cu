// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/analysis/list_flagged.hpp"

#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>

#include "backends/cuda/check.hpp"

namespace terrace::cuda {

std::size_t list_flagged_bytes(int count) {
  std::size_t bytes = 0;
  forget_failures_of_others();
  check(cub::DeviceSelect::Flagged(nullptr, bytes, thrust::counting_iterator<int>(0),
                                   static_cast<const unsigned char*>(nullptr), static_cast<int*>(nullptr),
                                   static_cast<int*>(nullptr), count),
        "cub::DeviceSelect::Flagged");
  return bytes;
}

void list_flagged(cudaStream_t stream, void* scratch, std::size_t scratch_bytes, const unsigned char* flags, int count,
                  int* places, int* found) {
  forget_failures_of_others();
  check(cub::DeviceSelect::Flagged(scratch, scratch_bytes, thrust::counting_iterator<int>(0), flags, places, found,
                                   count, stream),
        "cub::DeviceSelect::Flagged");
}

}  // namespace terrace::cuda
