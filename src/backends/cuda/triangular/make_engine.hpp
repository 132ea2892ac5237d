// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which engine solves a triangular system on an NVIDIA GPU, when the caller leaves the choice to the analysis.
//
// Of the generic algorithms the level-scheduled one was fastest on every shape measured on an H200 but those with a
// handful of levels, where they are level (docs/performance.md, "CUDA"), so there is nothing to choose yet. Engines
// made for the GPU join here.
#pragma once

#include "algorithms/triangular/make_engine.hpp"

namespace terrace::triangular {

template <class Problem>
EnginePointer<Problem> make_triangular_engine(const Kokkos::Cuda& space, const Problem& problem) {
  if (problem.options().algorithm != Algorithm::Automatic) return make_forced_engine(space, problem);
  return make_task_engine(space, problem, Algorithm::LevelScheduled,
                          "on a GPU the generic level-scheduled kernels were the fastest of the four measured");
}

}  // namespace terrace::triangular
