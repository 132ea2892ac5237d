// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iteration on any backend: the sweeps by wavefronts, and vector kernels between them.
//
// Sums go into device memory by Kokkos's reductions, and a kernel of one thread turns them into the next scalars.
#pragma once

#include "algorithms/structured/pcg_base.hpp"
#include "algorithms/structured/pcg_rows.hpp"
#include "algorithms/structured/wavefronts.hpp"

namespace terrace::structured {

/// Two sums at once, for Kokkos's reductions.
struct TwoSums {
  double first = 0.0, second = 0.0;
  KOKKOS_FUNCTION TwoSums& operator+=(const TwoSums& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

template <class Scalar, class Row>
struct ReduceRows {
  Stencil<Scalar> A;
  Row row;
  KOKKOS_FUNCTION void operator()(Index c, TwoSums& sums) const {
    if (row.idle()) return;
    const Index line = c / A.extent[X];
    const int at[Directions] = {static_cast<int>(c % A.extent[X]), static_cast<int>(line % A.extent[Y]),
                                static_cast<int>(line / A.extent[Y])};
    row(c, multiply_row(A, at, c, Vector<const Scalar, true>{row.factor(), 1}), sums.first, sums.second);
  }
};

template <class Row>
struct FinishRows {
  Row row;
  const TwoSums* sums;
  KOKKOS_FUNCTION void operator()(int) const { row.finish(sums->first, sums->second); }
};

template <class Scalar>
struct ReduceUpdate {
  UpdateElement<Scalar> update;
  KOKKOS_FUNCTION void operator()(Index c, double& sum) const {
    if (!update.idle()) update(c, sum);
  }
};

/// rho: y.D y after the forward sweep, or r.r.
template <class Scalar>
struct ReduceRho {
  const Scalar* y;
  const Scalar* inverse_pivots;
  KOKKOS_FUNCTION void operator()(Index c, double& sum) const {
    const double value = double(y[c]);
    sum += inverse_pivots ? value * value / double(inverse_pivots[c]) : value * value;
  }
};

struct FinishUpdate {
  PcgState* state;
  const double* residual;
  const double* rho;
  bool is_first;
  KOKKOS_FUNCTION void operator()(int) const {
    if (is_first) state->take_first_rho(*rho);
    else state->take_update(*residual, *rho);
  }
};

template <class Scalar, class Space>
class WavefrontPcgEngine : public PcgBase<Scalar, Space> {
  using Base = PcgBase<Scalar, Space>;
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>;

 public:
  WavefrontPcgEngine(const Space& space, const PcgProblem<Scalar, Space>& problem)
      : Base(space, problem),
        sums_("terrace::structured::sums"),
        residual_("terrace::structured::residual"),
        rho_("terrace::structured::rho") {}

  void start(const Space& space, const Scalar* b, Scalar* x, double tolerance) override {
    this->set_x(x);
    reduce(space, "terrace::structured::pcg_note_exponents",
           NoteExponentsRow<Scalar>{this->vectors(), this->state(), b});
    reduce(space, "terrace::structured::pcg_start", StartRow<Scalar>{this->vectors(), this->state(), b, tolerance});
    apply_forward(space, true);
  }

  void iterate(const Space& space, int count) override {
    for (int k = 0; k < count; ++k) {
      apply_backward(space);
      reduce(space, "terrace::structured::pcg_product", ProductRow<Scalar>{this->vectors(), this->state()});
      Kokkos::parallel_reduce("terrace::structured::pcg_update", cells(space),
                              ReduceUpdate<Scalar>{{this->vectors(), this->state()}}, residual_);
      apply_forward(space, false);
    }
  }

  void measure_true_residual(const Space& space, const Scalar* b) override {
    reduce(space, "terrace::structured::pcg_true_residual", TrueResidualRow<Scalar>{this->vectors(), this->state(), b});
  }

 private:
  Range cells(const Space& space) const { return Range(space, 0, static_cast<Index>(Base::cells())); }

  template <class Row>
  void reduce(const Space& space, const char* label, const Row& row) {
    Kokkos::parallel_reduce(label, cells(space), ReduceRows<Scalar, Row>{this->stencil(), row}, sums_);
    Kokkos::parallel_for("terrace::structured::pcg_scalars", Kokkos::RangePolicy<Space>(space, 0, 1),
                         FinishRows<Row>{row, sums_.data()});
  }

  /// y = (D + L)^-1 r and rho; without a preconditioner y is r.
  void apply_forward(const Space& space, bool is_first) {
    const auto v = this->vectors();
    if (this->has_preconditioner()) sweep<false>(space, "terrace::structured::pcg_forward", v.r);
    Kokkos::parallel_reduce("terrace::structured::pcg_rho", cells(space),
                            ReduceRho<Scalar>{this->has_preconditioner() ? v.y : v.r, this->inverse_pivots()}, rho_);
    Kokkos::parallel_for("terrace::structured::pcg_scalars", Kokkos::RangePolicy<Space>(space, 0, 1),
                         FinishUpdate{this->state(), residual_.data(), rho_.data(), is_first});
  }

  void apply_backward(const Space& space) {
    const auto v = this->vectors();
    if (this->has_preconditioner()) sweep<true>(space, "terrace::structured::pcg_backward", v.y);
    Kokkos::parallel_for("terrace::structured::pcg_direction", cells(space),
                         DirectionElement<Scalar>{this->has_preconditioner() ? v.y : v.r, v.p, this->state()});
  }

  template <bool Backward>
  void sweep(const Space& space, const char* label, const Scalar* right) {
    using Sweeps = Sweep<Scalar, Backward, true>;
    using Cell = PlainCell<Scalar, true>;
    const Vector<Scalar, true> y{this->vectors().y, 1};
    const auto stencil = this->stencil();
    visit_wavefronts(space, label, stencil.extent,
                     SweepCells<Sweeps, Cell>{Sweeps(stencil, this->inverse_pivots(), y), Cell{{right, 1}, y}});
  }

  Kokkos::View<TwoSums, parallel::Device<Space>> sums_;
  Kokkos::View<double, parallel::Device<Space>> residual_, rho_;
};

}  // namespace terrace::structured

template <>
struct Kokkos::reduction_identity<terrace::structured::TwoSums> {
  KOKKOS_FORCEINLINE_FUNCTION static terrace::structured::TwoSums sum() { return {}; }
};
