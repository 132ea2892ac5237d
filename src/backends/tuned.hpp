// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which backends have engines of their own in this build: all that Kokkos has and a folder here, or none where
// TERRACE_TUNED_BACKENDS is off. The dispatch headers ask; generic code works the same either way (ADR 29).
#pragma once

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && !defined(TERRACE_GENERIC_BACKENDS)
#define TERRACE_TUNED_CUDA
#endif

namespace terrace::parallel {

template <class Space>
inline constexpr bool has_tuned_engines = false;

#if defined(TERRACE_TUNED_CUDA)
template <>
inline constexpr bool has_tuned_engines<Kokkos::Cuda> = true;
#endif

}  // namespace terrace::parallel
