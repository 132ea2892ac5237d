// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which engine solves a triangular system on an NVIDIA GPU.
#pragma once

#include "algorithms/triangular/make_engine.hpp"
#include "backends/cuda/triangular/once_engine.hpp"
#include "backends/cuda/triangular/slice_engine.hpp"
#include "backends/cuda/triangular/tile_engine.hpp"

namespace terrace::triangular {

/// The row algorithms have an engine of their own here, which works row by row, and dense triangles one
/// that works by tiles; tasks of several rows, columns, the one thread and the storage that somebody asks for are
/// generic. For one solve the rows are used as they come, whichever way they run; columns that shall give the same
/// bits each time are made rows.
template <class Problem>
EnginePointer<Problem> make_triangular_engine(const Kokkos::Cuda& space, const Problem& problem) {
  const Algorithm algorithm = problem.options().algorithm;
  const bool is_automatic = algorithm == Algorithm::Automatic;
  if (problem.options().storage == Storage::Hec) return std::make_unique<HecEngine<Problem>>(space, problem);
  if (algorithm == Algorithm::Sequential || algorithm == Algorithm::SyncFreeColumns)
    return make_forced_engine(space, problem);
  if (problem.options().storage == Storage::Crs)
    return make_task_engine(space, problem, is_automatic ? Algorithm::LevelScheduled : algorithm,
                            "the caller asked for compressed rows");
  if (is_automatic && problem.options().reuse == Reuse::Once) {
    if (problem.options().deterministic || sparse::rows_gather(problem.options().format, problem.options().op))
      return std::make_unique<cuda::triangular::OnceEngine<Problem>>(space, problem);
    return std::make_unique<ColumnEngine<Problem>>(space, problem, "for one solve columns are taken as they come");
  }
  if (algorithm == Algorithm::Blocked || is_automatic || problem.options().rows_per_task <= 1) {
    const auto triangle = make_triangle(space, problem.input, sparse::Orientation::Gather);
    if (algorithm == Algorithm::Blocked || is_automatic)
      if (auto layout = cuda::triangular::TileEngine<Problem>::layout_of(space, problem, triangle))
        return std::make_unique<cuda::triangular::TileEngine<Problem>>(space, problem, triangle, std::move(*layout));
    if (problem.options().rows_per_task <= 1)
      return std::make_unique<cuda::triangular::SliceEngine<Problem>>(space, problem, triangle);
  }
  const std::string reason = "the caller asked for tasks of several rows";
  return make_task_engine(space, problem, is_automatic ? Algorithm::LevelScheduled : algorithm, reason);
}

}  // namespace terrace::triangular
