// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory from a pool of the library's own (CUDA programming guide, "Stream Ordered Memory Allocator").
//
// A Kokkos view costs 30 to 60 us to make and as much to free, because the device maps memory and waits. An analysis
// takes less than that on a small matrix. The pool keeps what is freed for the next analysis (device_memory.hpp).
// Kokkos Tools hears of each allocation.
#pragma once

#include <Kokkos_Core.hpp>
#include <utility>

#include "backends/cuda/device_memory.hpp"

namespace terrace::cuda {

class PooledMemory {
 public:
  PooledMemory() = default;

  /// Usable by what is enqueued on `space` afterwards, and by others once `space` has been waited for.
  /// \throws Error OutOfMemory.
  PooledMemory(const Kokkos::Cuda& space, const char* label, std::size_t bytes);

  /// Waits for the device, since kernels of any instance may use the memory.
  ~PooledMemory();

  PooledMemory(PooledMemory&& other) noexcept { swap(other); }
  PooledMemory& operator=(PooledMemory&& other) noexcept {
    PooledMemory(std::move(other)).swap(*this);
    return *this;
  }

  /// Frees without waiting: only `space` has used the memory, and nothing that is enqueued from now on will.
  void free_on(const Kokkos::Cuda& space) noexcept;

  char* data() const { return block_.data; }
  std::size_t bytes_held() const { return bytes_; }

 private:
  void swap(PooledMemory& other) noexcept {
    std::swap(label_, other.label_);
    std::swap(block_, other.block_);
    std::swap(bytes_, other.bytes_);
    std::swap(device_, other.device_);
  }
  void tell_of_the_end() const noexcept;

  const char* label_ = "";
  DeviceBlock block_;
  std::size_t bytes_ = 0;
  int device_ = 0;
};

}  // namespace terrace::cuda
