// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that the host needs from the device before it can go on, and numbers that it has made for it.
//
// The first come through pinned memory, which the device writes to by itself: to memory that is not, the driver copies
// in two steps, and a small analysis waits for it longer than for the kernels.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"

namespace terrace::cuda {

/// One for each thread of the host, as long as it lives; none where the host has no such memory left.
class PinnedMemory {
 public:
  static constexpr std::size_t bytes = 128 << 10;

  static void* of_this_thread() {
    thread_local PinnedMemory memory;
    return memory.data_;
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

 private:
  PinnedMemory() {
    const BesideCaptures beside;
    if (!succeeds(cudaHostAlloc(&data_, bytes, cudaHostAllocPortable))) data_ = nullptr;
  }
  ~PinnedMemory() {
    const BesideCaptures beside;
    if (data_) static_cast<void>(succeeds(cudaFreeHost(data_)));
  }
  void* data_ = nullptr;
};

/// Waits for `space`.
template <class Number>
void read_numbers(const Kokkos::Cuda& space, const Number* from, std::size_t count, Number* to) {
  const std::size_t bytes = count * sizeof(Number);
  void* pinned = bytes <= PinnedMemory::bytes ? PinnedMemory::of_this_thread() : nullptr;
  check(cudaMemcpyAsync(pinned ? pinned : to, from, bytes, cudaMemcpyDeviceToHost, space.cuda_stream()),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(space.cuda_stream()), "cudaStreamSynchronize");
  if (pinned) std::memcpy(to, pinned, bytes);
}

template <class Number>
std::vector<Number> read_numbers(const Kokkos::Cuda& space, const Number* from, std::size_t count) {
  std::vector<Number> numbers(count);
  if (count > 0) read_numbers(space, from, count, numbers.data());
  return numbers;
}

template <std::size_t Count, class Number>
std::array<Number, Count> read_numbers(const Kokkos::Cuda& space, const Number* from) {
  std::array<Number, Count> numbers;
  read_numbers(space, from, Count, numbers.data());
  return numbers;
}

/// Numbers that a kernel leaves for the host: where the host reads them, or, where there is no such memory, on the
/// device.
template <class Number>
class NumbersForHost {
 public:
  NumbersForHost(Number* on_device, std::size_t count) : count_(count) {
    if (count * sizeof(Number) <= PinnedMemory::bytes) to_ = static_cast<Number*>(PinnedMemory::of_this_thread());
    is_pinned_ = to_ != nullptr;
    if (!is_pinned_) to_ = on_device;
  }

  Number* to() const { return to_; }

  /// Waits for `space`. Nothing else may be read between the kernel and this.
  void read(const Kokkos::Cuda& space, Number* numbers) const {
    if (is_pinned_) check(cudaStreamSynchronize(space.cuda_stream()), "cudaStreamSynchronize");
    read_part(space, 0, count_, numbers);
  }
  /// When `space` has been waited for.
  void read_part(const Kokkos::Cuda& space, std::size_t first, std::size_t count, Number* numbers) const {
    if (is_pinned_) std::memcpy(numbers, to_ + first, count * sizeof(Number));
    else read_numbers(space, to_ + first, count, numbers);
  }

 private:
  Number* to_ = nullptr;
  std::size_t count_;
  bool is_pinned_;
};

/// Enqueued; `from`, in memory that is not pinned, may go at once (CUDA runtime API, "API synchronization behavior").
template <class Number>
void write_numbers(const Kokkos::Cuda& space, const std::vector<Number>& from, Number* to) {
  check(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(Number), cudaMemcpyHostToDevice, space.cuda_stream()),
        "cudaMemcpyAsync");
}

}  // namespace terrace::cuda
