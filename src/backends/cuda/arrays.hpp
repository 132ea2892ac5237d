// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several arrays in one allocation, each aligned for any type: an analysis needs a dozen of them.
#pragma once

#include "backends/cuda/pooled_memory.hpp"

namespace terrace::cuda {

/// Owns the memory, or has it from others; the arrays are plain pointers into it.
class Arrays {
 public:
  Arrays() = default;
  Arrays(const Kokkos::Cuda& space, const char* label, std::size_t bytes)
      : memory_(space, label, bytes), data_(memory_.data()) {}
  /// Of memory that outlives them and begins at a multiple of the alignment.
  explicit Arrays(char* lent) : data_(lent) {}

  /// What an array of so many elements takes.
  template <class T>
  static constexpr std::size_t bytes(std::size_t count) {
    return (count * sizeof(T) + alignment - 1) / alignment * alignment;
  }

  template <class T>
  T* take(std::size_t count) {
    T* array = reinterpret_cast<T*>(data_ + used_);
    used_ += bytes<T>(count);
    return array;
  }

  /// See PooledMemory::free_on.
  void free_on(const Kokkos::Cuda& space) noexcept { memory_.free_on(space); }

  bool are_there() const { return data_ != nullptr; }
  std::size_t bytes_held() const { return memory_.bytes_held(); }

 private:
  static constexpr std::size_t alignment = 256;
  PooledMemory memory_;
  char* data_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace terrace::cuda
