// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory the device has left.
#pragma once

#include <Kokkos_Core.hpp>

#include "algorithms/incomplete/threshold/work_arrays.hpp"
#include "backends/cuda/check.hpp"

namespace terrace::incomplete {

inline std::size_t free_memory(const Kokkos::Cuda& space, WorkBudget) {
  int before = 0;
  cuda::check(cudaGetDevice(&before));
  cuda::check(cudaSetDevice(space.cuda_device()));
  std::size_t bytes = 0, all = 0;
  const cudaError_t status = cudaMemGetInfo(&bytes, &all);
  cuda::check(cudaSetDevice(before));
  cuda::check(status);
  return bytes;
}

}  // namespace terrace::incomplete
