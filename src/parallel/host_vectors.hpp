// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole arrays between a space and vectors of the host, for what is done there: orderings and partitions.
#pragma once

#include <vector>

#include "parallel/concurrency.hpp"
#include "parallel/host_array.hpp"

namespace terrace::parallel {

/// Waits for the space.
template <class T, class Space>
std::vector<T> to_host_vector(const Space& space, const Kokkos::View<const T*, Device<Space>>& from) {
  std::vector<T> host(from.extent(0));
  copy(space, on_host(host.data(), host.size()), from);
  space.fence("terrace::parallel::to_host_vector");
  return host;
}

/// What the host reads: the array itself where that is in its memory, a copy otherwise. Waits for the space.
template <class T, class Space>
auto readable_on_host(const Space& space, const Kokkos::View<const T*, Device<Space>>& from) {
  if constexpr (is_host_space<Space>) {
    space.fence("terrace::parallel::readable_on_host");
    return from;
  } else {
    HostArray<T> host(from.extent(0));
    Kokkos::deep_copy(space, on_host(host.data(), host.size()), from);
    space.fence("terrace::parallel::readable_on_host");
    return host;
  }
}

/// Waits for the space. \throws Error OutOfMemory.
template <class T, class Allocator, class Space>
Kokkos::View<T*, Device<Space>> from_host_vector(const Space& space, const char* label,
                                                 std::vector<T, Allocator>& from) {
  const auto made = uninitialized<T>(space, label, from.size());
  copy(space, made, on_host(from.data(), from.size()));
  space.fence("terrace::parallel::from_host_vector");
  return made;
}

}  // namespace terrace::parallel
