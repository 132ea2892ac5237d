// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that measurements chose (perf_tests, one NVIDIA H200; docs/results/), of iterations on grids and of what
// copies their vectors. Those of sweeps follow from a tile (sweep_role.hpp).
#pragma once

#include "backends/cuda/launch.hpp"

namespace terrace::cuda::grid {

struct SumTuning {
  static constexpr int block = 256;
};

struct PackTuning {
  static constexpr int block = 256;
  static constexpr int length = 16;  // of a thread's walk
};

struct UpdateTuning {
  static constexpr int blocks_of_multiprocessor = 8;

  static int max_blocks() { return blocks_of_multiprocessor * attribute_of_device(cudaDevAttrMultiProcessorCount); }
};

}  // namespace terrace::cuda::grid
