// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several arrays in one allocation, each aligned for any type, for what the library makes and keeps together.
#pragma once

#include "parallel/memory.hpp"

namespace terrace::parallel {

/// The arrays are views that do not own the memory. It lives as long as a copy of memory() does.
template <class Space>
class JoinedArrays {
 public:
  /// Waits for nothing. \throws Error OutOfMemory.
  JoinedArrays(const Space& space, const char* label, std::size_t bytes)
      : memory_(std::make_shared<Memory<Space>>(space, label, bytes)) {}

  /// What an array of so many elements takes.
  template <class T>
  static constexpr std::size_t bytes(std::size_t count) {
    return (count * sizeof(T) + alignment - 1) / alignment * alignment;
  }

  template <class T>
  Kokkos::View<T*, Device<Space>> take(std::size_t count) {
    T* const array = reinterpret_cast<T*>(memory_->data() + used_);
    used_ += bytes<T>(count);
    return Kokkos::View<T*, Device<Space>>(array, count);
  }

  const SharedMemory<Space>& memory() const { return memory_; }
  SharedMemory<Space> take_memory() { return std::move(memory_); }

 private:
  static constexpr std::size_t alignment = 256;

  SharedMemory<Space> memory_;
  std::size_t used_ = 0;
};

}  // namespace terrace::parallel
