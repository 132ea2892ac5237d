// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that the host needs from the device before it can go on.
//
// They come through pinned memory, which the device writes to by itself: to memory that is not, the driver copies in
// two steps, and a small analysis waits for it longer than for the kernels.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "backends/cuda/check.hpp"

namespace terrace::cuda {

/// One for each thread of the host, as long as it lives.
class PinnedMemory {
 public:
  static constexpr std::size_t bytes = 64 << 10;

  static void* of_this_thread() {
    thread_local PinnedMemory memory;
    return memory.data_;
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

 private:
  PinnedMemory() { check(cudaHostAlloc(&data_, bytes, cudaHostAllocPortable)); }
  ~PinnedMemory() { (void)cudaFreeHost(data_); }
  void* data_ = nullptr;
};

/// Waits for `space`.
template <class Number>
void read_numbers(const Kokkos::Cuda& space, const Number* from, std::size_t count, Number* to) {
  const std::size_t bytes = count * sizeof(Number);
  const bool is_small = bytes <= PinnedMemory::bytes;
  void* landing = is_small ? PinnedMemory::of_this_thread() : to;
  check(cudaMemcpyAsync(landing, from, bytes, cudaMemcpyDeviceToHost, space.cuda_stream()));
  check(cudaStreamSynchronize(space.cuda_stream()));
  if (is_small) std::memcpy(to, landing, bytes);
}

template <std::size_t Count, class Number>
std::array<Number, Count> read_numbers(const Kokkos::Cuda& space, const Number* from) {
  std::array<Number, Count> numbers;
  read_numbers(space, from, Count, numbers.data());
  return numbers;
}

}  // namespace terrace::cuda
