// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A factorization in skewed storage: its coefficients, the memory of its sweeps, and the kernels that fill and walk
// them.
//
// Held, in numbers per cell and rounded up to whole tiles: both scaled triangles (4 in 2-D, 6 in 3-D; for a general
// matrix those of its transpose too), what they are scaled by, two vectors of scratch or as many as a sweep takes
// at once, the inverse pivots in natural order, and the edges that tiles hand on (1 to 2 for each of those vectors).
// The edge cells and counters are one set, so what is enqueued on one factor must follow each other in time or on one
// stream.
#pragma once

#include <algorithm>
#include <type_traits>

#include "backends/cuda/arrays.hpp"
#include "backends/cuda/structured/pack_factors.hpp"
#include "backends/cuda/structured/sums.hpp"
#include "backends/cuda/structured/sweep.hpp"

namespace terrace::cuda::grid {

template <class Real, class Tile>
class TileFactor {
  using Space = Kokkos::Cuda;
  // A reciprocal in every cell is a long wait, in which others may have the multiprocessor.
  using PivotTile = std::conditional_t<Tile::dims == 3, typename Tile::template sharing<2>, Tile>;

 public:
  TileFactor(const Space& space, const StructuredMatrix<Real, Space>& A, int columns)
      : columns_(std::clamp(columns, 2, GridLimits::y)),
        grid_(skewed_grid<Tile>(A.grid())),
        kept_(A),
        A_(structured::make_stencil(A)),
        inverse_(parallel::uninitialized<Real>(space, "terrace::cuda::inverse_pivots",
                                               static_cast<std::size_t>(A.grid().cells()))) {
    allocate(space);
  }

  /// As structured::Engine::factorize.
  void factorize(const Space& space, double relaxation, double shift, std::int64_t* breakdown) {
    Real* const(&product)[3] = triangles_[0].lower;
    const Real relative_shift = static_cast<Real>(shift);
    visit_cells<Tile, Real>(space, "terrace::structured::pack_products", grid_,
                            PackProducts<Tile, Real>{grid_,
                                                     A_,
                                                     static_cast<Real>(relaxation),
                                                     relative_shift,
                                                     scratch(0),
                                                     {product[0], product[1], product[2]}});
    if (is_symmetric())
      sweep<PivotWork<true>, false, PivotTile>(space, "terrace::structured::pivots", {scratch(0)}, {scratch(1)});
    else sweep<PivotWork<false>, false, PivotTile>(space, "terrace::structured::pivots", {scratch(0)}, {scratch(1)});
    visit_cells<Tile, Real>(
        space, "terrace::structured::unpack_pivots", grid_,
        UnpackPivots<Real>{scratch(1), A_.center, relative_shift, is_symmetric(), inverse_.data(), breakdown});
    pack_factors(space, A_, triangles_[0]);
    if (!is_symmetric()) pack_factors(space, A_.transposed(), triangles_[1]);
  }

  /// Enqueues a sweep with L or, backward, with U, or with U^T and L^T; skewed vectors, of which one in and one out may
  /// be the same. A sweep of several columns follows the vectors of scratch from the given one on.
  template <class Work, bool Backward, class Walk = Tile>
  void sweep(const Space& space, const char* label, const Real* const (&in)[Work::inputs],
             Real* const (&out)[Work::outputs], PcgState* state = nullptr, bool transposed = false,
             Begin begin = Begin::InTurn, int columns = 1, const NaturalVectors<Real>& natural = {}) const {
    const Triangles& triangles = triangles_[transposed && !is_symmetric() ? 1 : 0];
    const auto& coefficient = Backward ? triangles.upper : triangles.lower;
    SweepArguments<Real, Work::inputs, Work::outputs> arguments{};
    for (int k = 0; k < Work::inputs; ++k) arguments.in[k] = in[k];
    for (int k = 0; k < 3; ++k) arguments.coefficient[k] = coefficient[k];
    for (int k = 0; k < Work::outputs; ++k) arguments.out[k] = out[k];
    arguments.edges = edges_;
    arguments.claimed = counters_;
    arguments.partial = partial_;
    arguments.state = state;
    arguments.tiles_u = grid_.tiles_u;
    arguments.tiles_v = grid_.tiles_v;
    arguments.blocks_m = grid_.blocks_m;
    arguments.column = skewed_size<Tile>(grid_);
    arguments.natural = natural;
    using Role = SweepRole<Real, Walk, Work, Backward>;
    launch_when(begin, space, label, sweep_kernel<Real, Walk, Work, Backward>,
                static_cast<std::size_t>(columns) * static_cast<std::size_t>(grid_.tiles()), Role::threads,
                sizeof(typename Role::Shared), arguments);
  }

  const SkewedGrid& grid() const { return grid_; }
  const Stencil<Real>& matrix() const { return A_; }
  bool is_symmetric() const { return kept_.is_symmetric(); }
  const Kokkos::View<Real*, parallel::Device<Space>>& inverse() const { return inverse_; }
  Scaling<Real> scaling(Scale scale) const { return {scale, scale_}; }
  const Real* lower(int axis) const { return triangles_[0].lower[axis]; }
  /// How many columns a sweep takes at once: each has a vector of scratch and edges of its own.
  int columns() const { return columns_; }
  Real* scratch(int k) const { return scratch_ + k * skewed_size<Tile>(grid_); }
  std::size_t bytes_held() const { return memory_.bytes_held() + inverse_.span() * sizeof(Real); }

  /// Cells, or blocks of them, that one sweep solves one after the other.
  std::int64_t dependent_steps() const {
    return std::int64_t(grid_.blocks_m) + grid_.tiles_u * Tile::lanes_u + grid_.tiles_v * Tile::lanes_v - 2;
  }

 private:
  struct Triangles {
    Real *lower[3] = {}, *upper[3] = {};
  };

  void pack_factors(const Space& space, const Stencil<Real>& A, const Triangles& to) const {
    visit_cells<Tile, Real>(space, "terrace::structured::pack_factors", grid_,
                            PackFactors<Tile, Real>{grid_,
                                                    A,
                                                    is_symmetric(),
                                                    inverse_.data(),
                                                    {to.lower[0], to.lower[1], to.lower[2]},
                                                    {to.upper[0], to.upper[1], to.upper[2]},
                                                    scale_});
  }

  void allocate(const Space& space) {
    const auto size = static_cast<std::size_t>(skewed_size<Tile>(grid_));
    const auto columns = static_cast<std::size_t>(columns_);
    const auto edges = columns * static_cast<std::size_t>(edge_cells<Tile>(grid_));
    const auto tiles = static_cast<std::size_t>(grid_.tiles());
    const std::size_t copies = is_symmetric() ? 1 : 2, vectors = copies * 2 * Tile::dims + 1;
    memory_ = Arrays(space, "terrace::cuda::tile_factor",
                     vectors * Arrays::bytes<Real>(size) + Arrays::bytes<Real>(columns * size) +
                         Arrays::bytes<Real>(edges) + Arrays::bytes<double>(tiles) + Arrays::bytes<unsigned>(2));
    counters_ = memory_.template take<unsigned>(2);
    check(cudaMemsetAsync(counters_, 0, memory_.bytes_held(), space.cuda_stream()), "cudaMemsetAsync");
    const auto skewed = [&] { return memory_.template take<Real>(size) + SkewedGrid::margin * Tile::row; };
    for (std::size_t copy = 0; copy < copies; ++copy)
      for (int k = 0; k < 3; ++k) {
        if (Tile::dims == 2 && k == 1) continue;
        triangles_[copy].lower[k] = skewed();
        triangles_[copy].upper[k] = skewed();
      }
    scratch_ = memory_.template take<Real>(columns * size) + SkewedGrid::margin * Tile::row;
    scale_ = skewed();
    partial_ = memory_.template take<double>(tiles);
    edges_ = memory_.template take<Real>(edges);
    constexpr std::size_t block = 256;
    launch(space, "terrace::structured::make_awaited", make_awaited_kernel<Real>, (edges + block - 1) / block, block,
           edges_, edges);
  }

  int columns_;
  SkewedGrid grid_;
  StructuredMatrix<Real, Space> kept_;  // whose diagonals A_ reads
  Stencil<Real> A_;
  Kokkos::View<Real*, parallel::Device<Space>> inverse_;
  Arrays memory_;
  Triangles triangles_[2];  // of A, and of its transpose
  Real *scratch_ = nullptr, *scale_ = nullptr, *edges_ = nullptr;
  double* partial_ = nullptr;
  unsigned* counters_ = nullptr;
};

}  // namespace terrace::cuda::grid
