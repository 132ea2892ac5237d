// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A failed call of the CUDA runtime is an exception that says what CUDA says.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace terrace::cuda {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

}  // namespace terrace::cuda
