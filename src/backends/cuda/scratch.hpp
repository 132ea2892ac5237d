// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that live as long as one step of the analysis, in one allocation: the device allocates slowly.
#pragma once

#include "algorithms/analysis/concurrency.hpp"

namespace terrace::cuda {

class Scratch {
 public:
  Scratch(const Kokkos::Cuda& space, std::size_t bytes)
      : memory_(analysis::uninitialized<char>(space, "terrace::cuda::scratch", bytes)) {}

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

 private:
  static constexpr std::size_t alignment = 256;
  Kokkos::View<char*, analysis::Device<Kokkos::Cuda>> memory_;
  std::size_t used_ = 0;
};

}  // namespace terrace::cuda
