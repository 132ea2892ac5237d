// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps a GPU busy with other work, so that thread blocks of a kernel under test run one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "backends/cuda/check.hpp"

namespace terrace::test {

/// `arrived`: a flag for each thread block.
static __global__ void occupy_kernel(volatile int* arrived, const volatile int* released) {
  if (threadIdx.x == 0) {
    arrived[blockIdx.x] = 1;
    while (*released == 0) __nanosleep(1000);
  }
  __syncthreads();
}

/// What is left of the device: half a multiprocessor, or a whole one for a kernel whose block fills it.
enum class Left { Half, Whole };

/// While it lives, the rest of the device is busy; but not longer than half a minute, so that a test ends whose subject
/// waits for the whole device.
class FullDevice {
 public:
  explicit FullDevice(Left left = Left::Half) {
    int device = 0, multiprocessors = 0;
    cuda::check(cudaGetDevice(&device));
    cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    // Shared memory is portioned out when a multiprocessor is idle; the kernel under test may need all of it.
    cuda::check(cudaFuncSetAttribute(occupy_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     cudaSharedmemCarveoutMaxShared));
    // A block that takes more than half of the shared memory has a multiprocessor for itself.
    constexpr int max_of_it = 160 * 1024;
    const int bytes = left == Left::Whole ? max_of_it : 0;
    cuda::check(cudaFuncSetAttribute(occupy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    const int blocks = left == Left::Whole ? multiprocessors - 1 : 2 * multiprocessors - 1;
    const auto flags = static_cast<std::size_t>(blocks) + 1;
    cuda::check(cudaMallocHost(&flags_, flags * sizeof(int)));
    std::fill_n(flags_, flags, 0);
    occupy_kernel<<<blocks, 1024, static_cast<std::size_t>(bytes), stream_>>>(flags_ + 1, flags_);
    cuda::check(cudaGetLastError());
    for (int block = 0; block < blocks; ++block)
      while (const_cast<volatile int*>(flags_)[1 + block] == 0) std::this_thread::yield();
    watchdog_ = std::thread([this] { watch(); });
  }
  FullDevice(const FullDevice&) = delete;
  FullDevice& operator=(const FullDevice&) = delete;
  ~FullDevice() {
    is_over_ = true;
    watchdog_.join();
    release();
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
    cudaFreeHost(flags_);
  }

  /// False once patience has run out.
  bool is_full() const { return *const_cast<volatile int*>(flags_) == 0; }

 private:
  void release() { *const_cast<volatile int*>(flags_) = 1; }

  void watch() {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!is_over_) {
      if (std::chrono::steady_clock::now() > patience) release();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  cudaStream_t stream_ = nullptr;
  int* flags_ = nullptr;  // whether the blocks may go; which of them have arrived
  std::atomic<bool> is_over_ = false;
  std::thread watchdog_;
};

/// True once what was enqueued on the stream has finished, false if that takes half a minute.
inline bool finishes(cudaStream_t stream) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (cudaStreamQuery(stream) == cudaErrorNotReady && std::chrono::steady_clock::now() < patience)
    std::this_thread::yield();
  return cudaStreamQuery(stream) == cudaSuccess;
}

}  // namespace terrace::test
