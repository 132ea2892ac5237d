// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the engine of the iteration that suits the space, or the algorithm that was asked for.
#pragma once

#include "algorithms/structured/make_engine.hpp"
#include "algorithms/structured/tile_pcg_engine.hpp"
#include "algorithms/structured/wavefront_pcg_engine.hpp"

namespace terrace::structured {

/// The generic engine factory; backends with engines of their own overload it (backends/structured.hpp).
template <class Space, class Scalar>
PcgEnginePointer<Scalar, Space> make_structured_pcg_engine(const Space& space,
                                                           const PcgProblem<Scalar, Space>& problem) {
  const Choice choice = choose_algorithm(space, problem.A.grid(), problem.algorithm);
  if constexpr (parallel::is_host_space<Space>)
    if (choice.algorithm != SweepAlgorithm::Wavefronts)
      return std::make_unique<TilePcgEngine<Scalar, Space>>(
          space, problem, choice.algorithm == SweepAlgorithm::Sequential ? 1 : space.concurrency(),
          is_watched(choice, problem.algorithm));
  return std::make_unique<WavefrontPcgEngine<Scalar, Space>>(space, problem);
}

}  // namespace terrace::structured
