// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters of thread blocks that run at once, wait for each other and read each other's shared memory (CUDA C++
// Programming Guide, "Thread Block Clusters"), from compute capability 9.0 on. Before it a cluster is one block.
#pragma once

#include <nv/target>

#include "backends/cuda/architecture.hpp"
#include "backends/cuda/launch.hpp"

namespace terrace::cuda {

/// Blocks of a cluster that every device with clusters runs.
inline constexpr int largest_portable_cluster = 8;

/// All threads of all blocks of the cluster, which see each other's shared memory as it was before.
__device__ inline void sync_cluster() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");))
}

/// What stands in the shared memory of another block of the cluster where `here` is in that of this one.
template <class T>
__device__ T read_of_block(const T* here, int rank) {
  static_assert(sizeof(T) % sizeof(unsigned) == 0);
  T value = *here;
  NV_IF_TARGET(NV_PROVIDES_SM_90, (const auto own = static_cast<unsigned>(__cvta_generic_to_shared(here));
                                   unsigned there; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                                                                : "=r"(there)
                                                                : "r"(own), "r"(rank));
                                   auto* const words = reinterpret_cast<unsigned*>(&value);
                                   for (unsigned k = 0; k < sizeof(T) / sizeof(unsigned);
                                        ++k) asm volatile("ld.shared::cluster.u32 %0, [%1];"
                                                          : "=r"(words[k])
                                                          : "r"(there + k * static_cast<unsigned>(sizeof(unsigned)))
                                                          : "memory");))
  return value;
}

/// Blocks of a cluster of this kernel, at most.
template <class Kernel>
int blocks_of_cluster(Kernel kernel) {
  return runs_code_for_hopper(reinterpret_cast<const void*>(kernel)) ? largest_portable_cluster : 1;
}

/// As launch_grid; blocks.x is a multiple of `blocks_of_cluster`.
template <class... Parameters, class... Arguments>
void launch_clusters(const Kokkos::Cuda& space, const char* label, void (*kernel)(Parameters...), dim3 blocks,
                     dim3 threads, unsigned blocks_of_cluster, const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {blocks_of_cluster, 1, 1};
  launch_grid_with(blocks_of_cluster > 1 ? &attribute : nullptr, space, label, kernel, blocks, threads, 0,
                   arguments...);
}

}  // namespace terrace::cuda
