// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stream on which iterations are recorded: one of the library's own that does not wait for the legacy stream, so
// that whoever uses that one meanwhile, in any thread, disturbs nothing and is not disturbed (ADR 19).
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>

#include "backends/cuda/check.hpp"

namespace terrace::cuda::krylov {

class Recorder {
 public:
  Recorder() = default;
  Recorder(Recorder&& other) noexcept { swap(other); }
  Recorder& operator=(Recorder&& other) noexcept {
    Recorder(std::move(other)).swap(*this);
    return *this;
  }
  ~Recorder() {
    const BesideCaptures beside;
    instance_.reset();  // before its stream
    if (stream_) static_cast<void>(succeeds(cudaStreamDestroy(stream_)));
  }

  /// On the device of `space`.
  const Kokkos::Cuda& instance(const Kokkos::Cuda& space) {
    if (instance_ && instance_->cuda_device() == space.cuda_device()) return *instance_;
    *this = Recorder();
    const BesideCaptures beside;
    const OnDevice current(space.cuda_device());
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    instance_.emplace(stream_);
    return *instance_;
  }

 private:
  void swap(Recorder& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(instance_, other.instance_);
  }

  cudaStream_t stream_ = nullptr;
  std::optional<Kokkos::Cuda> instance_;  // with scratch memory of its own, which the graph uses
};

}  // namespace terrace::cuda::krylov
