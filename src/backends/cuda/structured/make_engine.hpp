// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which engine factorizes a structured matrix and iterates with it on an NVIDIA GPU.
#pragma once

#include "algorithms/structured/make_pcg_engine.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/structured/grid_engine.hpp"
#include "backends/cuda/structured/skewed_grid.hpp"
#include "backends/cuda/structured/tile_memory.hpp"

namespace terrace::cuda::grid {

struct EngineChoice {
  static constexpr int thin = 8;         // extents across that large tiles would mostly pad
  static constexpr int few_in_turn = 3;  // that many tiles for each multiprocessor are few
  // Storage is rounded up to whole tiles: no more than this many times the cells, if it is much.
  static constexpr Index max_padding = 4, much = Index(1) << 26;
};

/// Whether the device has the shared memory that the kernels of a tile were compiled to use.
template <class Tile>
bool has_memory_for_tile() {
  return shared_memory_of_block() >= TileMemory::max_bytes<Tile>();
}

/// Calls make(tile) with the tile for a grid.
template <class Make>
auto with_tile(const Grid& natural, const Make& make) {
  const SkewedGrid grid = choose_axes(natural);
  if (grid.n[1] == 1) return make(StripTile{});
  if (grid.n[0] <= EngineChoice::thin || grid.n[1] <= EngineChoice::thin || !has_memory_for_tile<LargeTile>())
    return make(SmallTile{});
  const int few = EngineChoice::few_in_turn * attribute_of_device(cudaDevAttrMultiProcessorCount);
  if (skewed_grid<LargeTile>(natural).tiles() > few || !has_memory_for_tile<LargeTileFew>()) return make(LargeTile{});
  return make(LargeTileFew{});
}

/// Why there should be no tiles; empty if they suit.
inline std::string objection(const Kokkos::Cuda& space, const Grid& natural) {
  const OnDevice current(space.cuda_device());
  return with_tile(natural, [&]<class Tile>(Tile) -> std::string {
    if (!has_memory_for_tile<Tile>()) return "this GPU has less shared memory than those that tiles were compiled for";
    const Index size = skewed_size<Tile>(skewed_grid<Tile>(natural));
    if (size > EngineChoice::much && size > EngineChoice::max_padding * natural.cells())
      return "the grid is so thin that tiles would mostly be padding";
    return "";
  });
}

template <class Scalar>
std::unique_ptr<GridEngine<Scalar>> make_pipelined_engine(const Kokkos::Cuda& space,
                                                          const StructuredMatrix<Scalar, Kokkos::Cuda>& A, int columns,
                                                          const std::string& why) {
  const OnDevice current(space.cuda_device());
  return with_tile(A.grid(), [&]<class Tile>(Tile) {
    const std::string tile = std::to_string(Tile::size_u) + (Tile::dims == 3 ? "x" + std::to_string(Tile::size_v) : "");
    return make_tile_engine<Scalar, Tile>(space, A, columns, why + "; a warp for each tile of " + tile + " lines");
  });
}

}  // namespace terrace::cuda::grid

namespace terrace::structured {

/// Tiles where they suit; wavefronts by name, and where tiles do not.
template <class Scalar>
EnginePointer<Scalar, Kokkos::Cuda> make_structured_engine(const Kokkos::Cuda& space,
                                                           const StructuredMatrix<Scalar, Kokkos::Cuda>& A,
                                                           const StructuredFactorOptions& options) {
  if (options.algorithm == SweepAlgorithm::Sequential || options.algorithm == SweepAlgorithm::Wavefronts)
    return make_structured_engine<Kokkos::Cuda, Scalar>(space, A, options);  // the generic one
  const bool is_asked_for = options.algorithm == SweepAlgorithm::Pipelined;
  const std::string objection = cuda::grid::objection(space, A.grid());
  if (objection.empty())
    return cuda::grid::make_pipelined_engine(space, A, options.right_hand_sides,
                                             is_asked_for ? "the caller asked for it" : "the fastest on this GPU");
  if (is_asked_for) throw Error(ErrorCode::InvalidOption, "there is no pipelined sweep here: " + objection);
  return std::make_unique<SweepEngine<Scalar, Kokkos::Cuda, WavefrontVisitor<Kokkos::Cuda>>>(
      space, A, WavefrontVisitor<Kokkos::Cuda>(A.grid()), objection);
}

/// The iteration in tiles on a factor in tiles; over wavefronts for any other.
template <class Scalar>
PcgEnginePointer<Scalar, Kokkos::Cuda> make_structured_pcg_engine(const Kokkos::Cuda& space,
                                                                  const PcgProblem<Scalar, Kokkos::Cuda>& problem) {
  if (problem.engine)
    if (auto engine = problem.engine->make_pcg_engine(space)) return engine;
  return std::make_unique<WavefrontPcgEngine<Scalar, Kokkos::Cuda>>(space, problem);
}

}  // namespace terrace::structured
