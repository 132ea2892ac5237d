// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace terrace::parallel {

/// On a host, asks for the cache line of a number that is needed soon; any address will do. Nothing on a device, whose
/// other threads run meanwhile.
template <class T>
KOKKOS_INLINE_FUNCTION void fetch_ahead([[maybe_unused]] const T* address) {
#if defined(__GNUC__)
  KOKKOS_IF_ON_HOST((__builtin_prefetch(address);))
#endif
}

}  // namespace terrace::parallel
