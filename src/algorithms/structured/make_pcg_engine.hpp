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
  const auto algorithm = choose_algorithm(space, problem.A.grid(), problem.algorithm).algorithm;
  if constexpr (analysis::is_host_space<Space>)
    if (algorithm != SweepAlgorithm::Wavefronts)
      return std::make_unique<TilePcgEngine<Scalar, Space>>(
          space, problem, algorithm == SweepAlgorithm::Sequential ? 1 : space.concurrency());
  return std::make_unique<WavefrontPcgEngine<Scalar, Space>>(space, problem);
}

}  // namespace terrace::structured
