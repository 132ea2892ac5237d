// CUDA 13 removed the old signatures of two runtime functions that Kokkos 4.7 still calls; these
// overloads bring them back. Force-included by kokkos-src/CMakeLists.txt when the toolkit is 13 or newer.
#pragma once

#include <cuda_runtime.h>

#if defined(CUDART_VERSION) && CUDART_VERSION >= 13000

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, static_cast<const cudaGraphEdgeData*>(nullptr), count);
}

inline cudaError_t cudaMemPrefetchAsync(const void* address, size_t bytes, int device,
                                        cudaStream_t stream = nullptr) {
  const cudaMemLocation where = device == cudaCpuDeviceId
                                    ? cudaMemLocation{cudaMemLocationTypeHost, 0}
                                    : cudaMemLocation{cudaMemLocationTypeDevice, device};
  return cudaMemPrefetchAsync(address, bytes, where, 0u, stream);
}

#endif
