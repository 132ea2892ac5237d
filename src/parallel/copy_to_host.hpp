// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A few numbers that the host needs before it can go on. A backend that knows a shorter way than Kokkos's copy
// overloads copy_to_host (backends/copy_to_host.hpp).
#pragma once

#include <algorithm>
#include <array>

#include "parallel/concurrency.hpp"

namespace terrace::parallel {

/// In memory of a space.
template <class T>
struct Numbers {
  const T* first;
  std::size_t count;
};

/// Waits for `space`.
template <class Space, class T>
void copy_to_host(const Space& space, const Numbers<T>& from, T* to, const char* label) {
  if constexpr (is_host_space<Space>) {
    space.fence(label);
    std::copy_n(from.first, from.count, to);
  } else {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(space, on_host(to, from.count),
                      Kokkos::View<const T*, Device<Space>, Unmanaged>(from.first, from.count));
    space.fence(label);
  }
}

/// Numbers that stand side by side, at once. Waits for `space`.
template <std::size_t Count, class T, class Space>
std::array<T, Count> read_cells(const Space& space, const T* from, const char* label) {
  std::array<T, Count> values{};
  copy_to_host(space, Numbers<T>{from, Count}, values.data(), label);
  return values;
}

/// One number. Waits for `space`.
template <class T, class Space>
T read_on_host(const Space& space, const T* from) {
  return read_cells<1>(space, from, "terrace::parallel::read_on_host")[0];
}

}  // namespace terrace::parallel
