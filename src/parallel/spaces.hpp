// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Kokkos space is to generic code: a host's or a device's.
#pragma once

#include <Kokkos_Core.hpp>

namespace terrace::parallel {

template <class Space>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible&&
        Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;

template <class Space>
using Device = Kokkos::Device<Space, typename Space::memory_space>;

}  // namespace terrace::parallel
