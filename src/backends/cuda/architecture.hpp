// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What generations of NVIDIA GPUs differ in, as far as kernels or their tuning ask: the one table of it. The numbers
// that measurements chose for all of them stand in tuning.hpp of each folder.
//
// A build is for one architecture or for several, and what must be the same on the host and in all device code follows
// from their whole list. What a build for compute capability 8.0 lacks, newer GPUs do without when they run it: the
// host never concludes from the device what its code can do (docs/adr/0030).
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "backends/cuda/check.hpp"

namespace terrace::cuda {

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the shared memory that a block may
/// ask for.
struct Architecture {
  int capability;  // times a hundred, from here to the next line
  int shared_kilobytes;
};
inline constexpr Architecture architectures[] = {{0, 48},    {750, 64}, {800, 163}, {860, 99},
                                                 {870, 163}, {890, 99}, {900, 227}, {1200, 99}};

constexpr const Architecture& architecture_of(int capability) {
  const Architecture* found = architectures;
  for (const Architecture& known : architectures)
    if (known.capability <= capability) found = &known;
  return *found;
}

/// What the sources are compiled for.
struct CompiledFor {
#if defined(__CUDA_ARCH_LIST__)
  static constexpr int list[] = {__CUDA_ARCH_LIST__};
#else
  static constexpr int list[] = {900};  // plain C++, which has no device code
#endif
  static constexpr int oldest = *std::min_element(std::begin(list), std::end(list));
  static constexpr int newest = *std::max_element(std::begin(list), std::end(list));

  /// That every one of them has.
  static constexpr int shared_kilobytes() {
    int least = architecture_of(oldest).shared_kilobytes;
    for (const int capability : list) least = std::min(least, architecture_of(capability).shared_kilobytes);
    return least;
  }
};

/// The compute capability from which on kernels may begin early, and the copy engine and larger products of matrices
/// are there.
inline constexpr int hopper = 900;

/// Of the architecture that device code is being compiled for: tensor cores multiply doubles as fast as lanes multiply
/// floats (H200: 67 TFLOP/s each). So it was not measured of others, and on those for graphics it is far from true.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
inline constexpr bool doubles_take_no_longer = false;
#else
inline constexpr bool doubles_take_no_longer = true;
#endif

/// Whether the code that the current device runs of this kernel, or of any other of this build, was compiled for Hopper
/// or later.
inline bool runs_code_for_hopper(const void* kernel) {
  if constexpr (CompiledFor::oldest >= hopper) return true;
  if constexpr (CompiledFor::newest < hopper) return false;
  thread_local std::map<int, bool> known;  // by device
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  if (const auto found = known.find(device); found != known.end()) return found->second;
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  return known[device] = 10 * attributes.ptxVersion >= hopper;
}

}  // namespace terrace::cuda
