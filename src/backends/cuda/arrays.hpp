// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several arrays in one allocation: the device allocates and frees slowly, and an analysis needs a dozen arrays.
#pragma once

#include "algorithms/analysis/concurrency.hpp"

namespace terrace::cuda {

/// Owns the memory; the arrays are plain pointers into it, each aligned for any type.
class Arrays {
 public:
  Arrays() = default;
  Arrays(const Kokkos::Cuda& space, const char* label, std::size_t bytes)
      : memory_(analysis::uninitialized<char>(space, label, bytes)) {}

  /// What an array of so many elements takes.
  template <class T>
  static constexpr std::size_t bytes(std::size_t count) {
    return (count * sizeof(T) + alignment - 1) / alignment * alignment;
  }

  template <class T>
  T* take(std::size_t count) {
    T* array = reinterpret_cast<T*>(memory_.data() + used_);
    used_ += bytes<T>(count);
    return array;
  }

  std::size_t bytes_held() const { return memory_.span(); }

 private:
  static constexpr std::size_t alignment = 256;
  Kokkos::View<char*, analysis::Device<Kokkos::Cuda>> memory_;
  std::size_t used_ = 0;
};

}  // namespace terrace::cuda
