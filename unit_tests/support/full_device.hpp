// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps a GPU busy with other work, so that thread blocks of a kernel under test run one after the other; and what that
// is made of, thread blocks that stay until they are let go.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <thread>

namespace terrace::test {

/// Thread blocks that hold up a stream, and stand where they are, until they are let go; but for no more than half a
/// minute, so that a test ends whose subject waits for them.
class Gate {
 public:
  /// Waits until all have arrived.
  explicit Gate(cudaStream_t stream, int blocks = 1, int threads = 1, int shared_bytes = 0);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();
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
  explicit FullDevice(Left left = Left::Half);
  FullDevice(const FullDevice&) = delete;
  FullDevice& operator=(const FullDevice&) = delete;
  ~FullDevice();

 private:
  cudaStream_t stream_ = nullptr;
  std::optional<Gate> gate_;
};

/// True once what was enqueued on the stream has finished, false if that takes half a minute.
bool finishes(cudaStream_t stream);

}  // namespace terrace::test
