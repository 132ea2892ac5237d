// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies whose kernels are only enqueued, whatever the size of the functor.
//
// Kokkos's CUDA backend passes a functor of up to 512 bytes as an argument of the kernel and copies a larger one into
// constant memory, from a buffer of the host that the next such launch waits for: a wait on the host, and a copy that
// no graph records. A kernel may have 4 KiB of arguments; the hint says that they are to be used.
#pragma once

#include <Kokkos_Core.hpp>

namespace terrace::parallel {

template <class Policy>
auto functor_as_argument(const Policy& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace terrace::parallel
