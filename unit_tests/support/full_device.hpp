// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps a GPU busy with other work, so that thread blocks of a kernel under test run one after the other; and what that
// is made of, thread blocks that stay until they are let go.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
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

/// Thread blocks that hold up a stream, and stand where they are, until they are let go; but for no more than half a
/// minute, so that a test ends whose subject waits for them.
class Gate {
 public:
  /// Waits until all have arrived.
  explicit Gate(cudaStream_t stream, int blocks = 1, int threads = 1, int shared_bytes = 0) : stream_(stream) {
    const auto flags = static_cast<std::size_t>(blocks) + 1;
    cuda::check(cudaMallocHost(&flags_, flags * sizeof(int)));
    std::fill_n(flags_, flags, 0);
    occupy_kernel<<<blocks, threads, static_cast<std::size_t>(shared_bytes), stream>>>(flags_ + 1, flags_);
    cuda::check(cudaGetLastError());
    for (int block = 0; block < blocks; ++block)
      while (const_cast<volatile int*>(flags_)[1 + block] == 0) std::this_thread::yield();
    watchdog_ = std::thread([this] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (!is_open() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      open();
    });
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    open();
    watchdog_.join();
    cudaStreamSynchronize(stream_);
    cudaFreeHost(flags_);
  }
  void open() { *const_cast<volatile int*>(flags_) = 1; }
  bool is_open() const { return *const_cast<volatile int*>(flags_) != 0; }

 private:
  cudaStream_t stream_;
  int* flags_ = nullptr;  // whether they may go; which of them have arrived
  std::thread watchdog_;
};

/// What is left of the device: half a multiprocessor, or a whole one for a kernel whose block fills it.
enum class Left { Half, Whole };

/// While it lives, the rest of the device is busy. A test fails that waited for it.
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
    gate_.emplace(stream_, left == Left::Whole ? multiprocessors - 1 : 2 * multiprocessors - 1, 1024, bytes);
  }
  FullDevice(const FullDevice&) = delete;
  FullDevice& operator=(const FullDevice&) = delete;
  ~FullDevice() {
    EXPECT_FALSE(gate_->is_open()) << "what was tested waited for the whole device";
    gate_.reset();
    cudaStreamDestroy(stream_);
  }

 private:
  cudaStream_t stream_ = nullptr;
  std::optional<Gate> gate_;
};

/// True once what was enqueued on the stream has finished, false if that takes half a minute.
inline bool finishes(cudaStream_t stream) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (cudaStreamQuery(stream) == cudaErrorNotReady && std::chrono::steady_clock::now() < patience)
    std::this_thread::yield();
  return cudaStreamQuery(stream) == cudaSuccess;
}

}  // namespace terrace::test
