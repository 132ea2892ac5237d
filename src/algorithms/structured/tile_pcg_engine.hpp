// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iteration on a host: three passes, each a kernel in which threads claim bundles of lines. Passes are watched;
// one thread takes over where several are slower, with the same bundles and so the same sums.
#pragma once

#include "algorithms/structured/pcg_base.hpp"
#include "algorithms/structured/pcg_cells.hpp"
#include "algorithms/structured/pcg_rows.hpp"
#include "algorithms/structured/tile_visitor.hpp"

namespace terrace::structured {

template <class Scalar, class Space, class Clock = std::chrono::steady_clock>
class TilePcgEngine : public PcgBase<Scalar, Space> {
  using Base = PcgBase<Scalar, Space>;
  using Watched = parallel::WatchedWork<Clock>;

 public:
  TilePcgEngine(const Space& space, const PcgProblem<Scalar, Space>& problem, int threads, bool watches)
      : Base(space, problem),
        runner_(space, this->stencil().extent, threads),
        sums_(parallel::zeros<double>(space, "terrace::structured::bundle_sums",
                                      static_cast<std::size_t>(2 * runner_.tiling().bundles()))) {
    if (watches) watched_ = Watched(seconds_per_cell_of_pass * static_cast<double>(problem.A.grid().cells()));
  }

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

  void describe_changes(StructuredFactorInfo& info) const override {
    describe_one_thread(watched_.reason_for_one_thread(), info);
  }

 private:
  BundleSums sums() const { return {sums_.data(), runner_.tiling().bundles()}; }

  template <class Body>
  void pass(const Space& space, const char* label, const Body& body) {
    watched_.run(1, [&](bool one_thread) { runner_.run(space, label, body, one_thread); });
  }

  template <class Row>
  void multiply(const Space& space, const char* label, const Row& row) {
    pass(space, label, MultiplyTiles<Scalar, Row>{this->stencil(), row, sums()});
  }

  template <bool Backward, class Cell>
  void sweep(const Space& space, const char* label, const Cell& cell) {
    using Sweeps = Sweep<Scalar, Backward, true>;
    pass(space, label,
         SweepTiles<Sweeps, Cell>{Sweeps(this->stencil(), this->inverse_pivots(), {this->vectors().y, 1}), cell});
  }

  template <bool First>
  void forward(const Space& space) {
    const ForwardPassCell<Scalar, First> cell{this->vectors(), this->state(), sums()};
    if (this->has_preconditioner()) sweep<false>(space, "terrace::structured::pcg_forward", cell);
    else
      pass(space, "terrace::structured::pcg_update",
           WithoutSweep<Scalar, std::decay_t<decltype(cell)>>{this->stencil(), cell});
  }

  void backward(const Space& space) {
    const BackwardPassCell<Scalar> cell{this->vectors(), this->state()};
    if (this->has_preconditioner()) sweep<true>(space, "terrace::structured::pcg_backward", cell);
    else
      pass(space, "terrace::structured::pcg_direction",
           WithoutSweep<Scalar, std::decay_t<decltype(cell)>>{this->stencil(), cell});
  }

  TileRunner<Space> runner_;
  Kokkos::View<double*, parallel::Device<Space>> sums_;
  Watched watched_;
};

}  // namespace terrace::structured
