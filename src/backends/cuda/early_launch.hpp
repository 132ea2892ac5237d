// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that begin before the one ahead of them in the stream has ended (CUDA's programmatic dependent launch).
//
// What such a kernel does before `await_predecessor` overlaps the end of its predecessor: its launch, its set-up, and
// loads of what the predecessor does not write. Three rules make that safe:
// - Every block awaits the predecessor before it ends; so whoever comes later finds all that came before done.
// - A kernel lets its successor begin only after it has awaited its own predecessor; so what an early kernel may not
//   touch is what its direct predecessor writes, and nothing else.
// - It does so in every block, when that block holds what it needs. A successor's blocks come when all blocks have, so
//   they never take a place that one of the predecessor's waits for.
// Both calls do nothing in a kernel that was launched as usual, or that has no early successor. Before compute
// capability 9.0 there is nothing to call, and every kernel is launched as usual.
#pragma once

#include <nv/target>

#include "backends/cuda/architecture.hpp"
#include "backends/cuda/launch.hpp"

namespace terrace::cuda {

__device__ inline void await_predecessor() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.wait;" ::: "memory");))
}
__device__ inline void let_successor_begin() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.launch_dependents;" ::: "memory");))
}

/// When a kernel may begin: behind its predecessor, or as soon as that one lets it.
enum class Begin { InTurn, Early };

/// As launch_grid_with_memory.
template <class... Parameters, class... Arguments>
void launch_grid_when(Begin begin, const Kokkos::Cuda& space, const char* label, void (*kernel)(Parameters...),
                      dim3 blocks, dim3 threads, std::size_t bytes, const Arguments&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  const bool can_begin = begin == Begin::Early && runs_code_for_hopper(reinterpret_cast<const void*>(kernel));
  launch_grid_with(can_begin ? &early : nullptr, space, label, kernel, blocks, threads, bytes, arguments...);
}

/// As launch_with_memory.
template <class... Parameters, class... Arguments>
void launch_when(Begin begin, const Kokkos::Cuda& space, const char* label, void (*kernel)(Parameters...),
                 std::size_t blocks, dim3 threads, std::size_t bytes, const Arguments&... arguments) {
  launch_grid_when(begin, space, label, kernel, dim3(checked_blocks(blocks)), threads, bytes, arguments...);
}

}  // namespace terrace::cuda
