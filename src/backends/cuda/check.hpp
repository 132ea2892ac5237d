// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A failed call of the CUDA runtime is an Error that names the call, says what CUDA says, and whether the device can
// be used on. The runtime remembers a failure until it is asked; code that throws asks, so that the next call of
// anybody is not blamed for it.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace terrace::cuda {

/// \throws Error OutOfMemory or LibraryFailure. `call` is a function of the runtime, or the label of a kernel.
[[noreturn]] void throw_failure(cudaError_t status, const char* call);

inline void check(cudaError_t status, const char* call = "a call of the CUDA runtime") {
  if (status != cudaSuccess) throw_failure(status, call);
}

/// For destructors, and for calls that may fail without harm.
inline bool succeeds(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return status == cudaSuccess;
}

/// Before a call of CUB, which asks the runtime for its last failure after each call of its own and takes what another
/// one has left there for its own. CUB would forget it too.
inline void forget_failures_of_others() noexcept { static_cast<void>(cudaGetLastError()); }

/// "<free> of <all> bytes of the device are free"; of the current device.
std::string free_memory();

/// The device is current while this lives.
class OnDevice {
 public:
  explicit OnDevice(int device) noexcept {
    is_other_ = succeeds(cudaGetDevice(&before_)) && before_ != device && succeeds(cudaSetDevice(device));
  }
  ~OnDevice() {
    if (is_other_) static_cast<void>(succeeds(cudaSetDevice(before_)));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool is_other_ = false;
};

/// While this lives, the calling thread may allocate, free and wait for a stream although another one records a graph
/// (ADR 19).
class BesideCaptures {
 public:
  BesideCaptures() noexcept { exchange(); }
  ~BesideCaptures() { exchange(); }
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;

 private:
  void exchange() noexcept { static_cast<void>(succeeds(cudaThreadExchangeStreamCaptureMode(&mode_))); }
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace terrace::cuda
