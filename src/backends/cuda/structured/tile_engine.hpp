// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of structured factorizations on an NVIDIA GPU: SweepAlgorithm::Pipelined, a tile of the grid per warp.
//
// A solve is two sweeps, whose transfer warps bring a right-hand side into skewed storage and out again; with small
// tiles, and for half a solve, kernels of their own do that. The backward sweep is set up while the forward one ends.
// Several right-hand sides are tiles of one sweep, one column after the other, so that a column fills the
// multiprocessors that the wave of the one before it leaves idle. The scalings on the way in and out turn the unit
// triangles into the halves of M (pack_factors.hpp):
//
//     symmetric   (D + L)^-1 = S (I + SLS)^-1 S        (I + D^-1 U)^-1 = S (I + SUS)^-1 S^-1
//     general     (D + L)^-1 = (I + D^-1 L)^-1 D^-1    (I + D^-1 U)^-1 as it stands
//
// The transpose of a general factor is another general factor, of A^T and with the same pivots.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "backends/cuda/structured/grid_engine.hpp"
#include "backends/cuda/structured/tile_pcg_engine.hpp"

namespace terrace::cuda::grid {

using structured::Part;

template <class Real, class Tile>
class TileEngine : public GridEngine<Real> {
  using Space = Kokkos::Cuda;
  using Base = structured::Engine<Real, Space>;

 public:
  TileEngine(const Space& space, const StructuredMatrix<Real, Space>& A, int columns, const std::string& reason)
      : factor_(std::make_shared<TileFactor<Real, Tile>>(space, A, columns)), reason_(reason) {}

  void factorize(const Space& space, double relaxation, double shift, std::int64_t* breakdown) override {
    factor_->factorize(space, relaxation, shift, breakdown);
  }

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x, Part part,
             Op op) override {
    const auto most = static_cast<std::size_t>(factor_->columns());
    for (std::size_t first = 0; first < b.columns; first += most) {
      const Columns columns{static_cast<int>(std::min(most, b.columns - first)),
                            b.data + Index(first) * b.column_stride,
                            b.row_stride,
                            b.column_stride,
                            x.data + Index(first) * x.column_stride,
                            x.row_stride,
                            x.column_stride};
      if (Tile::transfers > 0 && part == Part::Both) sweep_natural(space, columns, op != Op::None);
      else sweep_packed(space, columns, part, op != Op::None);
    }
  }

  Kokkos::View<const Real*, parallel::Device<Space>> inverse_pivots() const override { return factor_->inverse(); }

  void describe(StructuredFactorInfo& info) const override {
    info.algorithm = SweepAlgorithm::Pipelined;
    info.reason = reason_;
    info.dependent_steps = factor_->dependent_steps();
    info.kernels = 2;  // with the way into the engine's storage, or out of it
    info.bytes_held = factor_->bytes_held();
  }

  structured::PcgEnginePointer<Real, Space> make_pcg_engine(const Space& space) const override {
    return std::make_unique<TilePcgEngine<Real, Tile>>(space, factor_);
  }

 private:
  /// Right-hand sides that are solved for in one walk, and where their solutions go.
  struct Columns {
    int count;
    const Real* b;
    Index b_stride, b_column;  // from row to row, from column to column
    Real* x;
    Index x_stride, x_column;
  };

  void sweep_natural(const Space& space, const Columns& columns, bool transposed) const {
    if constexpr (Tile::transfers > 0) {
      const auto [in, out] = scales(Part::Both);
      NaturalVectors<Real> natural{columns.b,        columns.x,        columns.b_stride, columns.x_stride,
                                   columns.b_column, columns.x_column, scale_of(in),     factor_->grid()};
      sweep<EnterWork, false>(space, columns.count, transposed, Begin::InTurn, natural);
      natural.scale = scale_of(out);
      sweep<LeaveWork, true>(space, columns.count, transposed, Begin::Early, natural);
    }
  }

  void sweep_packed(const Space& space, const Columns& columns, Part part, bool transposed) const {
    const TileFactor<Real, Tile>& M = *factor_;
    const auto [in, out] = scales(part);
    const Index column = skewed_size<Tile>(M.grid());
    visit_cells<Tile, Real>(
        space, "terrace::structured::pack", M.grid(),
        PackVector<Real>{columns.b, columns.b_stride, columns.b_column, M.scaling(in), M.scratch(0), column},
        columns.count);
    if (part != Part::Backward) sweep<SolveWork, false>(space, columns.count, transposed, Begin::InTurn);
    if (part != Part::Forward)
      sweep<SolveWork, true>(space, columns.count, transposed, part == Part::Both ? Begin::Early : Begin::InTurn);
    visit_cells<Tile, Real>(
        space, "terrace::structured::unpack", M.grid(),
        UnpackVector<Real>{M.scratch(0), column, M.scaling(out), columns.x, columns.x_stride, columns.x_column},
        columns.count);
  }

  template <class Work, bool Backward>
  void sweep(const Space& space, int columns, bool transposed, Begin begin,
             const NaturalVectors<Real>& natural = {}) const {
    constexpr auto label = Backward ? "terrace::structured::sweep_backward" : "terrace::structured::sweep_forward";
    factor_->template sweep<Work, Backward>(space, label, {factor_->scratch(0)}, {factor_->scratch(0)}, nullptr,
                                            transposed, begin, columns, natural);
  }

  std::pair<Scale, Scale> scales(Part part) const {
    if (factor_->is_symmetric()) return {part == Part::Backward ? Scale::Divide : Scale::Multiply, Scale::Multiply};
    return {part == Part::Backward ? Scale::None : Scale::Multiply, Scale::None};
  }
  const Real* scale_of(Scale scale) const { return scale == Scale::None ? nullptr : factor_->scaling(scale).by; }

  std::shared_ptr<TileFactor<Real, Tile>> factor_;
  std::string reason_;
};

template <class Scalar, class Tile>
std::unique_ptr<GridEngine<Scalar>> make_tile_engine(const Kokkos::Cuda& space,
                                                     const StructuredMatrix<Scalar, Kokkos::Cuda>& A, int columns,
                                                     const std::string& reason) {
  return std::make_unique<TileEngine<Scalar, Tile>>(space, A, columns, reason);
}

}  // namespace terrace::cuda::grid
