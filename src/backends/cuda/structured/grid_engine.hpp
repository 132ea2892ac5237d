// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of a structured factorization in tiles, declared apart from its body.
#pragma once

#include <memory>
#include <string>

#include "algorithms/structured/engine.hpp"

namespace terrace::cuda::grid {

template <class Scalar>
using GridEngine = structured::Engine<Scalar, Kokkos::Cuda>;

/// The engine in tiles of shape Tile, which solves for so many columns in one walk; each shape is instantiated in a
/// source of its own.
template <class Scalar, class Tile>
std::unique_ptr<GridEngine<Scalar>> make_tile_engine(const Kokkos::Cuda& space,
                                                     const StructuredMatrix<Scalar, Kokkos::Cuda>& A, int columns,
                                                     const std::string& reason);

}  // namespace terrace::cuda::grid
