// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that were chosen by measuring on an NVIDIA H200; each names the benchmark that chose it.
#pragma once

namespace terrace::cuda {

struct GenericTuning {
  /// From this mean width a kernel per level beats rows that wait (perf_tests/triangular_solve, docs/performance.md).
  static constexpr double rows_per_level_for_kernels = 100000;
};

}  // namespace terrace::cuda
