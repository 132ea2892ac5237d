// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of keys of 64 bits: what the backend knows, or Kokkos's sort, whose scratch memory on a GPU comes from the
// runtime and waits for the whole device when it is freed.
#pragma once

#include <Kokkos_Sort.hpp>
#include <cstdint>

#include "backends/runtime.hpp"

namespace terrace::parallel {

/// Ascending. Enqueued, or done. \throws Error OutOfMemory.
template <class Space>
void sort_keys(const Space& space, const Kokkos::View<std::uint64_t*, Device<Space>>& keys) {
  if (keys.extent(0) < 2) return;
  if constexpr (requires { Runtime<Space>::sort_keys(space, keys.data(), keys.extent(0)); })
    Runtime<Space>::sort_keys(space, keys.data(), keys.extent(0));
  else Kokkos::sort(space, keys);
}

}  // namespace terrace::parallel
