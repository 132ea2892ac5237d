// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enqueues a kernel on an execution-space instance, and tells Kokkos Tools of it as Kokkos's own launches do; or adds
// it to the graph that is being made. And how many of its blocks run at once.
#pragma once

#include <Kokkos_Core.hpp>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "backends/cuda/check.hpp"
#include "backends/cuda/graph_of_launches.hpp"
#include "backends/cuda/launch_shape.hpp"

namespace terrace::cuda {

/// Calls enqueue(), which returns what CUDA says, as a kernel of this name for Kokkos Tools.
template <class Enqueue>
void observe_launch(const Kokkos::Cuda& space, const char* label, const Enqueue& enqueue) {
  const bool is_observed = Kokkos::Tools::profileLibraryLoaded();
  std::uint64_t observation = 0;
  if (is_observed) Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(space), &observation);
  check(enqueue(), label);
  if (is_observed) Kokkos::Tools::endParallelFor(observation);
}

inline int attribute_of_device(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return value;
}

/// Bytes of shared memory that a block may ask for.
inline int shared_memory_of_block() { return attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

/// Lets a kernel have all the shared memory that a block may ask for, if it wants more than is given unasked, of which
/// it has declared some. That happens where it is launched: nvcc 13 makes a kernel of its own for each source file, and
/// where several files instantiate two functions, one that asks and one that launches, the linker may take them from
/// different ones.
inline void allow_shared_memory(const void* kernel, std::size_t bytes) {
  constexpr std::size_t given_unasked = 48 << 10, most_declared = 16 << 10;
  if (bytes <= given_unasked - most_declared) return;
  thread_local std::set<std::pair<const void*, int>> allowed;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  if (allowed.contains({kernel, device})) return;
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_memory_of_block() - static_cast<int>(attributes.sharedSizeBytes)),
        "cudaFuncSetAttribute");
  allowed.emplace(kernel, device);
}

/// Not by <<<>>>, after which only the runtime's last failure can be asked for, and that may be another call's.
template <class... Parameters, class... Arguments>
void launch_configured(const Kokkos::Cuda& space, const char* label, void (*kernel)(Parameters...),
                       const cudaLaunchConfig_t& config, const Arguments&... arguments) {
  const void* const address = reinterpret_cast<const void*>(kernel);
  allow_shared_memory(address, config.dynamicSmemBytes);
  if (GraphOfLaunches* const graph = GraphOfLaunches::current()) {
    std::tuple<Parameters...> values{Parameters(arguments)...};
    std::apply(
        [&](auto&... value) {
          void* pointers[] = {&value..., nullptr};
          graph->add_kernel(address, config, pointers);
        },
        values);
    return;
  }
  observe_launch(space, label, [&] { return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...); });
}

/// Sets every byte.
inline void set_bytes(const Kokkos::Cuda& space, void* to, int byte, std::size_t bytes) {
  if (GraphOfLaunches* const graph = GraphOfLaunches::current()) return graph->add_memset(to, byte, bytes);
  check(cudaMemsetAsync(to, byte, bytes, space.cuda_stream()), "cudaMemsetAsync");
}

/// With an attribute, unless it is null.
template <class... Parameters, class... Arguments>
void launch_grid_with(cudaLaunchAttribute* attribute, const Kokkos::Cuda& space, const char* label,
                      void (*kernel)(Parameters...), dim3 blocks, dim3 threads, std::size_t bytes,
                      const Arguments&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = bytes;
  config.stream = space.cuda_stream();
  config.attrs = attribute;
  config.numAttrs = attribute ? 1 : 0;
  launch_configured(space, label, kernel, config, arguments...);
}

template <class... Parameters, class... Arguments>
void launch_grid_with_memory(const Kokkos::Cuda& space, const char* label, void (*kernel)(Parameters...), dim3 blocks,
                             dim3 threads, std::size_t bytes, const Arguments&... arguments) {
  launch_grid_with(nullptr, space, label, kernel, blocks, threads, bytes, arguments...);
}

/// A grid of more than one dimension.
template <class... Parameters, class... Arguments>
void launch_grid(const Kokkos::Cuda& space, const char* label, void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                 const Arguments&... arguments) {
  launch_grid_with_memory(space, label, kernel, blocks, threads, 0, arguments...);
}

/// `bytes` of shared memory besides what the kernel declares.
template <class... Parameters, class... Arguments>
void launch_with_memory(const Kokkos::Cuda& space, const char* label, void (*kernel)(Parameters...), std::size_t blocks,
                        dim3 threads, std::size_t bytes, const Arguments&... arguments) {
  launch_grid_with_memory(space, label, kernel, dim3(checked_blocks(blocks)), threads, bytes, arguments...);
}

template <class... Parameters, class... Arguments>
void launch(const Kokkos::Cuda& space, const char* label, void (*kernel)(Parameters...), std::size_t blocks,
            dim3 threads, const Arguments&... arguments) {
  launch_with_memory(space, label, kernel, blocks, threads, 0, arguments...);
}

/// Blocks that the device holds at once. Asked once by each thread of the host: the runtime takes microseconds to say.
template <class Kernel>
int resident_blocks(Kernel kernel, int threads, std::size_t dynamic_bytes = 0) {
  const void* const address = reinterpret_cast<const void*>(kernel);
  allow_shared_memory(address, dynamic_bytes);
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  thread_local std::map<std::tuple<const void*, int, std::size_t, int>, int> known;
  const std::tuple asked(address, threads, dynamic_bytes, device);
  if (const auto found = known.find(asked); found != known.end()) return found->second;
  int blocks_per_multiprocessor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_multiprocessor, kernel, threads, dynamic_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return known[asked] = blocks_per_multiprocessor * attribute_of_device(cudaDevAttrMultiProcessorCount);
}

}  // namespace terrace::cuda
