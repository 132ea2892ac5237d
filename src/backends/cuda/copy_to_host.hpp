// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for the host, through pinned memory (read_numbers.hpp).
#pragma once

#include "backends/cuda/read_numbers.hpp"
#include "parallel/copy_to_host.hpp"

namespace terrace::parallel {

template <class T>
void copy_to_host(const Kokkos::Cuda& space, const Numbers<T>& from, T* to, const char*) {
  cuda::read_numbers(space, from.first, from.count, to);
}

}  // namespace terrace::parallel
