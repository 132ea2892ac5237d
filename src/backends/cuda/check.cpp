// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/check.hpp"

#include <terrace/error.hpp>

namespace terrace::cuda {
namespace {

/// After some failures (an illegal address, a lost device) every later call fails as this one does.
bool is_context_lost() {
  std::size_t unused = 0, all = 0;
  return !succeeds(cudaMemGetInfo(&unused, &all));
}

}  // namespace

std::string free_memory() {
  std::size_t unused = 0, all = 0;
  if (!succeeds(cudaMemGetInfo(&unused, &all))) return "the device does not say how much is free";
  return std::to_string(unused) + " of " + std::to_string(all) + " bytes of the device are free";
}

void throw_failure(cudaError_t status, const char* call) {
  static_cast<void>(cudaGetLastError());
  const std::string what =
      std::string(call) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + "); ";
  if (status == cudaErrorMemoryAllocation) throw Error(ErrorCode::OutOfMemory, what + free_memory());
  throw Error(ErrorCode::LibraryFailure,
              what + (is_context_lost() ? "the CUDA context is lost: no call will succeed in this process any more"
                                        : "the device can still be used"));
}

}  // namespace terrace::cuda
