// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the engine that the options force, or the one that suits the space.
#pragma once

#include "algorithms/structured/sweep_engine.hpp"
#include "parallel/online_cores.hpp"

namespace terrace::structured {

/// Cells below which waking other threads costs more than they save: a sweep of them takes some 20 us.
inline constexpr std::int64_t cells_for_threads = 8192;

/// What tiles threads can share: so many at a time, and along anti-diagonals of so many cells, which are all that one
/// thread does before it waits for another. Two threads took 2.5 times as long as one for 20 cells (10 x 10 x 10000),
/// and 0.7 of it for 124 (1 x 1000 x 1000).
inline constexpr double tiles_at_once_for_threads = 1.5;
inline constexpr std::int64_t cells_of_tile_for_threads = 64;

struct Choice {
  SweepAlgorithm algorithm;
  std::string reason;
};

template <class Space>
Choice choose_algorithm(const Space& space, const Grid& grid, SweepAlgorithm asked) {
  if (asked != SweepAlgorithm::Automatic) return {asked, "the caller asked for it"};
  if constexpr (!parallel::is_host_space<Space>) {
    return {SweepAlgorithm::Wavefronts, "the space has no sweep of its own"};
  } else {
    if (space.concurrency() == 1) return {SweepAlgorithm::Sequential, "there is one thread"};
    if (static_cast<unsigned>(space.concurrency()) > parallel::online_cores())
      return {SweepAlgorithm::Sequential, std::to_string(space.concurrency()) + " threads on " +
                                              std::to_string(parallel::online_cores()) +
                                              " cores would wait for each other"};
    if (grid.cells() < cells_for_threads)
      return {SweepAlgorithm::Sequential, "the grid is too small to wake other threads for"};
    const int extent[Directions] = {grid.nx, grid.ny, grid.nz};
    const Tiling tiling = make_tiling(extent, space.concurrency());
    if (tiling.tiles_at_once() < tiles_at_once_for_threads)
      return {SweepAlgorithm::Sequential, "the grid is so narrow that its tiles follow each other"};
    if (tiling.by_diagonals && tiling.cells_of_tile() < cells_of_tile_for_threads)
      return {SweepAlgorithm::Sequential, "the grid is so narrow that threads would wait for tiles of " +
                                              std::to_string(tiling.cells_of_tile()) + " cells"};
    return {SweepAlgorithm::Pipelined,
            std::to_string(space.concurrency()) + " threads share " + std::to_string(grid.cells()) + " cells"};
  }
}

/// Whether one thread may take over from the several that were chosen, not asked for.
inline bool is_watched(const Choice& choice, SweepAlgorithm asked) {
  return asked == SweepAlgorithm::Automatic && choice.algorithm == SweepAlgorithm::Pipelined;
}

/// The generic engine factory; backends with engines of their own overload it (backends/structured.hpp).
template <class Space, class Scalar>
EnginePointer<Scalar, Space> make_structured_engine(const Space& space, const StructuredMatrix<Scalar, Space>& A,
                                                    const StructuredFactorOptions& options) {
  const Choice choice = choose_algorithm(space, A.grid(), options.algorithm);
  if (choice.algorithm == SweepAlgorithm::Wavefronts)
    return std::make_unique<SweepEngine<Scalar, Space, WavefrontVisitor<Space>>>(
        space, A, WavefrontVisitor<Space>(A.grid()), choice.reason);
  if constexpr (parallel::is_host_space<Space>) {
    const int threads = choice.algorithm == SweepAlgorithm::Sequential ? 1 : space.concurrency();
    return std::make_unique<SweepEngine<Scalar, Space, TileVisitor<Space>>>(
        space, A, TileVisitor<Space>(space, A.grid(), threads, is_watched(choice, options.algorithm)), choice.reason);
  } else {
    throw Error(ErrorCode::InvalidOption,
                std::string("there is no ") + to_string(choice.algorithm) + " sweep for the space " + Space::name());
  }
}

}  // namespace terrace::structured
