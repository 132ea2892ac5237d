// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enqueues a kernel on an execution-space instance, and tells Kokkos Tools of it as Kokkos's own launches do.
#pragma once

#include <Kokkos_Core.hpp>

#include "backends/cuda/check.hpp"

namespace terrace::cuda {

template <class... Parameters, class... Arguments>
void launch(const Kokkos::Cuda& space, const char* label, void (*kernel)(Parameters...), std::size_t blocks,
            dim3 threads, const Arguments&... arguments) {
  const bool is_observed = Kokkos::Tools::profileLibraryLoaded();
  std::uint64_t observation = 0;
  if (is_observed) Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(space), &observation);
  kernel<<<static_cast<unsigned>(blocks), threads, 0, space.cuda_stream()>>>(Parameters(arguments)...);
  check(cudaGetLastError());
  if (is_observed) Kokkos::Tools::endParallelFor(observation);
}

}  // namespace terrace::cuda
