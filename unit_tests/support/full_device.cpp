// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/full_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "backends/cuda/check.hpp"

namespace terrace::test {
namespace {

// One kernel for all tests: what is set for it (shared memory) must be set for the one that is launched.
/// `arrived`: a flag for each thread block.
__global__ void occupy_kernel(volatile int* arrived, const volatile int* released) {
  if (threadIdx.x == 0) {
    arrived[blockIdx.x] = 1;
    while (*released == 0) __nanosleep(1000);
  }
  __syncthreads();
}

}  // namespace

Gate::Gate(cudaStream_t stream, int blocks, int threads, int shared_bytes) : stream_(stream) {
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

Gate::~Gate() {
  open();
  watchdog_.join();
  cudaStreamSynchronize(stream_);
  cudaFreeHost(flags_);
}

FullDevice::FullDevice(Left left) {
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

FullDevice::~FullDevice() {
  EXPECT_FALSE(gate_->is_open()) << "what was tested waited for the whole device";
  gate_.reset();
  cudaStreamDestroy(stream_);
}

bool finishes(cudaStream_t stream) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (cudaStreamQuery(stream) == cudaErrorNotReady && std::chrono::steady_clock::now() < patience)
    std::this_thread::yield();
  return cudaStreamQuery(stream) == cudaSuccess;
}

}  // namespace terrace::test
