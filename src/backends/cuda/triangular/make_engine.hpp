// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which engine solves a triangular system on an NVIDIA GPU, when the caller leaves the choice to the analysis.
#pragma once

#include "algorithms/triangular/make_engine.hpp"
#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::triangular {

template <class Problem>
EnginePointer<Problem> make_best_cuda_engine(const Kokkos::Cuda& space, const Problem& problem) {
  const bool backward = analysis::runs_backward(problem.options().uplo, problem.options().op);
  const auto lines = make_lines(space, problem.input, analysis::Orientation::Gather);
  auto schedule = analysis::make_task_schedule(space, lines, backward, 0);
  const RowLevels levels{schedule.by_level.levels(), schedule.widest_level()};
  const double width = double(problem.input.count) / double(levels.levels);
  const bool by_levels = width >= cuda::GenericTuning::rows_per_level_for_kernels;
  const std::string reason =
      std::to_string(static_cast<std::int64_t>(width)) + " rows per level " +
      (by_levels ? "fill a kernel for each" : "are too few for a kernel for each, so rows wait for rows");
  return std::make_unique<TaskEngine<Problem>>(space, problem, lines, std::move(schedule),
                                               by_levels ? Algorithm::LevelScheduled : Algorithm::SyncFreeRows, levels,
                                               reason);
}

template <class Problem>
EnginePointer<Problem> make_triangular_engine(const Kokkos::Cuda& space, const Problem& problem) {
  if (problem.options().algorithm != Algorithm::Automatic) return make_forced_engine(space, problem);
  return make_best_cuda_engine(space, problem);
}

}  // namespace terrace::triangular
