// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iteration on a host: three passes, each a kernel in which threads claim bundles of lines.
#pragma once

#include "algorithms/structured/pcg_base.hpp"
#include "algorithms/structured/pcg_cells.hpp"
#include "algorithms/structured/pcg_rows.hpp"
#include "algorithms/structured/tile_visitor.hpp"

namespace terrace::structured {

template <class Scalar, class Space>
class TilePcgEngine : public PcgBase<Scalar, Space> {
  using Base = PcgBase<Scalar, Space>;

 public:
  TilePcgEngine(const Space& space, const PcgProblem<Scalar, Space>& problem, int threads)
      : Base(space, problem),
        runner_(space, this->stencil().extent, threads),
        sums_(analysis::zeros<double>(space, "terrace::structured::bundle_sums",
                                      static_cast<std::size_t>(2 * runner_.tiling().bundles()))) {}

  void start(const Space& space, const Scalar* b, Scalar* x, double tolerance) override {
    this->set_x(x);
    multiply(space, "terrace::structured::pcg_note_exponents",
             NoteExponentsRow<Scalar>{this->vectors(), this->state(), b});
    multiply(space, "terrace::structured::pcg_start", StartRow<Scalar>{this->vectors(), this->state(), b, tolerance});
    forward<true>(space);
  }

  void iterate(const Space& space, int count) override {
    for (int k = 0; k < count; ++k) {
      backward(space);
      multiply(space, "terrace::structured::pcg_product", ProductRow<Scalar>{this->vectors(), this->state()});
      forward<false>(space);
    }
  }

  void measure_true_residual(const Space& space, const Scalar* b) override {
    multiply(space, "terrace::structured::pcg_true_residual",
             TrueResidualRow<Scalar>{this->vectors(), this->state(), b});
  }

  std::size_t bytes_held() const override {
    return Base::bytes_held() + runner_.bytes_held() + sums_.span() * sizeof(double);
  }

 private:
  BundleSums sums() const { return {sums_.data(), runner_.tiling().bundles()}; }

  template <class Row>
  void multiply(const Space& space, const char* label, const Row& row) {
    runner_.run(space, label, MultiplyTiles<Scalar, Row>{this->stencil(), row, sums()});
  }

  template <bool Backward, class Cell>
  void sweep(const Space& space, const char* label, const Cell& cell) {
    using Sweeps = Sweep<Scalar, Backward, true>;
    runner_.run(
        space, label,
        SweepTiles<Sweeps, Cell>{Sweeps(this->stencil(), this->inverse_pivots(), {this->vectors().y, 1}), cell});
  }

  template <bool First>
  void forward(const Space& space) {
    const ForwardPassCell<Scalar, First> cell{this->vectors(), this->state(), sums()};
    if (this->has_preconditioner()) sweep<false>(space, "terrace::structured::pcg_forward", cell);
    else
      runner_.run(space, "terrace::structured::pcg_update",
                  WithoutSweep<Scalar, std::decay_t<decltype(cell)>>{this->stencil(), cell});
  }

  void backward(const Space& space) {
    const BackwardPassCell<Scalar> cell{this->vectors(), this->state()};
    if (this->has_preconditioner()) sweep<true>(space, "terrace::structured::pcg_backward", cell);
    else
      runner_.run(space, "terrace::structured::pcg_direction",
                  WithoutSweep<Scalar, std::decay_t<decltype(cell)>>{this->stencil(), cell});
  }

  TileRunner<Space> runner_;
  Kokkos::View<double*, analysis::Device<Space>> sums_;
};

}  // namespace terrace::structured
