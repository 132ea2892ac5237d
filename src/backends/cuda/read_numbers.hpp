// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that the host needs from the device before it can go on.
#pragma once

#include <Kokkos_Core.hpp>
#include <array>

#include "backends/cuda/check.hpp"

namespace terrace::cuda {

/// Waits for `space`.
template <std::size_t Count, class Number>
std::array<Number, Count> read_numbers(const Kokkos::Cuda& space, const Number* from) {
  std::array<Number, Count> numbers;
  check(cudaMemcpyAsync(numbers.data(), from, sizeof(numbers), cudaMemcpyDeviceToHost, space.cuda_stream()));
  check(cudaStreamSynchronize(space.cuda_stream()));
  return numbers;
}

}  // namespace terrace::cuda
