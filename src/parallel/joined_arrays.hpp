// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several arrays in one allocation, each aligned for any type, for what the library makes and keeps together.
//
// On a backend that has a pool the memory comes from there: a Kokkos view on a GPU takes as long to make, and to free,
// as a small analysis takes altogether, and waits for all that the device does.
#pragma once

#include <memory>

#include "parallel/concurrency.hpp"

namespace terrace::parallel {

/// The arrays are views that do not own the memory. It lives as long as a copy of memory() does.
template <class Space>
class JoinedArrays {
 public:
  /// Waits for nothing. \throws Error OutOfMemory.
  JoinedArrays(const Space& space, const char* label, std::size_t bytes) : memory_(allocate(space, label, bytes)) {}

  /// What an array of so many elements takes.
  template <class T>
  static constexpr std::size_t bytes(std::size_t count) {
    return (count * sizeof(T) + alignment - 1) / alignment * alignment;
  }

  template <class T>
  Kokkos::View<T*, Device<Space>> take(std::size_t count) {
    T* const array = reinterpret_cast<T*>(memory_.get() + used_);
    used_ += bytes<T>(count);
    return Kokkos::View<T*, Device<Space>>(array, count);
  }

  const std::shared_ptr<char>& memory() const { return memory_; }

 private:
  static constexpr std::size_t alignment = 256;

  static std::shared_ptr<char> allocate(const Space& space, const char* label, std::size_t bytes) {
    if constexpr (requires { typename Runtime<Space>::PooledMemory; }) {
      const auto owner = std::make_shared<typename Runtime<Space>::PooledMemory>(space, label, bytes);
      return {owner, owner->data()};
    } else {
      const auto owner = std::make_shared<Kokkos::View<char*, Device<Space>>>(uninitialized<char>(space, label, bytes));
      return {owner, owner->data()};
    }
  }

  std::shared_ptr<char> memory_;
  std::size_t used_ = 0;
};

}  // namespace terrace::parallel
