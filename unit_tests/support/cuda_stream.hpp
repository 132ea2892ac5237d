// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream of a test's own, with a Kokkos instance on it.
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>

#include "backends/cuda/check.hpp"

namespace terrace::test {

class CudaStream {
 public:
  /// cudaStreamDefault waits for the legacy stream, cudaStreamNonBlocking does not.
  explicit CudaStream(unsigned flags = cudaStreamNonBlocking) {
    cuda::check(cudaStreamCreateWithFlags(&stream_, flags), "cudaStreamCreateWithFlags");
    space_.emplace(stream_);
  }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream() {
    space_.reset();
    cudaStreamDestroy(stream_);
  }

  const Kokkos::Cuda& space() const { return *space_; }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
  std::optional<Kokkos::Cuda> space_;
};

}  // namespace terrace::test
