// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An engine of a structured factorization that brings the engine of the iteration along, since both share one factor.
#pragma once

#include <memory>
#include <string>

#include "algorithms/structured/engine.hpp"
#include "algorithms/structured/pcg_engine.hpp"

namespace terrace::cuda::grid {

template <class Scalar>
class GridEngine : public structured::Engine<Scalar, Kokkos::Cuda> {
 public:
  /// The matrix must be symmetric. The two engines share scratch memory: the iteration's and this one's solves must
  /// follow each other in time or on one stream.
  virtual structured::PcgEnginePointer<Scalar, Kokkos::Cuda> make_pcg_engine(const Kokkos::Cuda& space) const = 0;
};

/// The engine in tiles of shape Tile, which solves for so many columns in one walk; each shape is instantiated in a
/// source of its own.
template <class Scalar, class Tile>
std::unique_ptr<GridEngine<Scalar>> make_tile_engine(const Kokkos::Cuda& space,
                                                     const StructuredMatrix<Scalar, Kokkos::Cuda>& A, int columns,
                                                     const std::string& reason);

}  // namespace terrace::cuda::grid
