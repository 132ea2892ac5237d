// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where device memory comes from: a memory pool of the library's own, or the device itself where there are no pools
// (some MIG and vGPU devices). ADR 13 says why a pool, ADR 19 how memory is freed beside other threads.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <mutex>

namespace terrace::cuda {

struct DeviceBlock {
  char* data = nullptr;
  bool is_pooled = false;
};

/// The memory of one device, for as long as the process lives.
class DeviceMemory {
 public:
  /// Of the device's memory the pool keeps at most this part for later.
  static constexpr std::size_t kept_part = 64;

  explicit DeviceMemory(int device) : device_(device) {}
  static DeviceMemory& of(int device);

  /// Usable by what is enqueued on the stream afterwards. When there is no memory, what has been freed but not been
  /// given back is waited for and given back, and then there is one more try. \throws Error OutOfMemory.
  DeviceBlock allocate(cudaStream_t stream, const char* label, std::size_t bytes);

  /// Only the stream has used the block. Does not wait for it, if the block comes from a pool.
  void free_on(cudaStream_t stream, const DeviceBlock& block) noexcept;

  /// Waits for the device, since kernels of any stream may use the block.
  void free(const DeviceBlock& block) noexcept;

  /// Waits for all that has been enqueued on the device, as cudaDeviceSynchronize does, which must not be called while
  /// another thread records a graph: both would fail. False when there was no way to wait.
  bool wait() noexcept;

  /// Gives the device back what the pool keeps.
  void give_back(cudaStream_t stream) noexcept;

  /// For tests.
  struct Faults {
    std::atomic<bool> without_pools = false;         // as if the device had none
    std::atomic<int> pools_that_cannot_be_made = 0;  // attempts
    std::atomic<bool> forget_pools = false;          // the next allocation makes a new one
  };
  static Faults& faults();

 private:
  cudaMemPool_t pool();
  void make_pool();
  cudaError_t try_to_allocate(cudaStream_t stream, std::size_t bytes, DeviceBlock& block);

  int device_;
  std::mutex mutex_;
  cudaMemPool_t pool_ = nullptr;
  bool has_no_pools_ = false;
};

}  // namespace terrace::cuda
