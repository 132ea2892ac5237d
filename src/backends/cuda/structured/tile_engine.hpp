// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of structured factorizations on an NVIDIA GPU: SweepAlgorithm::Pipelined, a tile of the grid per warp.
//
// A solve is two sweeps for each right-hand side, whose couriers bring it into skewed storage and out again; with small
// tiles, and for half a solve, kernels of their own do that. The scalings on the way in and out turn the unit triangles
// into the halves of M (pack_factors.hpp):
//
//     symmetric   (D + L)^-1 = S (I + SLS)^-1 S        (I + D^-1 U)^-1 = S (I + SUS)^-1 S^-1
//     general     (D + L)^-1 = (I + D^-1 L)^-1 D^-1    (I + D^-1 U)^-1 as it stands
//
// The transpose of a general factor is another general factor, of A^T and with the same pivots.
#pragma once

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
  TileEngine(const Space& space, const StructuredMatrix<Real, Space>& A, const std::string& reason)
      : factor_(std::make_shared<TileFactor<Real, Tile>>(space, A)), reason_(reason) {}

  void factorize(const Space& space, double relaxation, double shift, std::int64_t* breakdown) override {
    factor_->factorize(space, relaxation, shift, breakdown);
  }

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x, Part part,
             Op op) override {
    for (std::size_t column = 0; column < b.columns; ++column)
      solve_column(space, b.data + Index(column) * b.column_stride, b.row_stride,
                   x.data + Index(column) * x.column_stride, x.row_stride, part, op != Op::None);
  }

  Kokkos::View<const Real*, analysis::Device<Space>> inverse_pivots() const override { return factor_->inverse(); }

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
  void solve_column(const Space& space, const Real* b, Index b_stride, Real* x, Index x_stride, Part part,
                    bool transposed) const {
    const TileFactor<Real, Tile>& M = *factor_;
    const auto [in, out] = scales(part);
    Real* const vector = M.scratch(0);
    if constexpr (Tile::couriers > 0)
      if (part == Part::Both) {
        M.template sweep<EnterWork, false>(space, "terrace::structured::sweep_forward", {vector}, {vector}, nullptr,
                                           transposed, {b, nullptr, b_stride, 0, scale_of(in), M.grid()});
        M.template sweep<LeaveWork, true>(space, "terrace::structured::sweep_backward", {vector}, {vector}, nullptr,
                                          transposed, {nullptr, x, 0, x_stride, scale_of(out), M.grid()});
        return;
      }
    visit_cells<Tile, Real>(space, "terrace::structured::pack", M.grid(),
                            PackVector<Real>{b, b_stride, M.scaling(in), vector});
    if (part != Part::Backward)
      M.template sweep<SolveWork, false>(space, "terrace::structured::sweep_forward", {vector}, {vector}, nullptr,
                                         transposed);
    if (part != Part::Forward)
      M.template sweep<SolveWork, true>(space, "terrace::structured::sweep_backward", {vector}, {vector}, nullptr,
                                        transposed);
    visit_cells<Tile, Real>(space, "terrace::structured::unpack", M.grid(),
                            UnpackVector<Real>{vector, M.scaling(out), x, x_stride});
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
                                                     const StructuredMatrix<Scalar, Kokkos::Cuda>& A,
                                                     const std::string& reason) {
  return std::make_unique<TileEngine<Scalar, Tile>>(space, A, reason);
}

}  // namespace terrace::cuda::grid
