// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dot products that follow a product y = A x, and the scalars that follow from them: (w, y) and (y, y), where w
// and what is concluded depend on the method's next step. An operator that can makes them in the kernel of its product
// (multiply.hpp), where each y_i is at hand; for others a kernel of its own reads w and y again.
#pragma once

#include "algorithms/krylov/each_column.hpp"

namespace terrace::krylov {

enum class Purpose {
  StepLength,     ///< conjugate gradients: alpha = rho / (p, A p)
  ShadowProduct,  ///< BiCGStab: alpha = rho / (r~, v)
  Smoothing,      ///< BiCGStab: omega = (t, s) / (t, t)
};

template <class Scalar>
struct Projection {
  static constexpr int sums = 2;
  using Total = Sums<Scalar, sums>;

  Purpose purpose;
  Columns<const Scalar> w;
  Shared<Scalar> shared;
  Gathering<Scalar> gathering;

  KOKKOS_FUNCTION static void add(const Scalar& w, const Scalar& y, Total& sum) {
    sum.of[0] += conjugate(w) * y;
    sum.of[1] += Scalar(square(y));
  }

  KOKKOS_FUNCTION void final(int column, const Total& sum) const {
    auto& state = shared.of(column);
    if (!state.is_running()) return;
    switch (purpose) {
      case Purpose::StepLength: return set_step_length(state, real_part(sum.of[0]));
      case Purpose::ShadowProduct: return set_shadow_product(state, sum.of[0]);
      case Purpose::Smoothing: return smooth(state, conjugate(sum.of[0]), sum.of[1]);
    }
  }

 private:
  KOKKOS_FUNCTION static void set_step_length(Recurrence<Scalar>& state, RealOf<Scalar> curvature) {
    if (!Kokkos::isfinite(curvature)) state.stop(StopReason::NotFinite);
    else if (!(curvature > 0)) state.stop(StopReason::Indefinite);
    else state.alpha = state.rho / curvature;
  }

  KOKKOS_FUNCTION static void set_shadow_product(Recurrence<Scalar>& state, const Scalar& product) {
    if (!triangular::is_finite(product)) state.stop(StopReason::NotFinite);
    else if (product == Scalar(0)) state.stop(StopReason::Breakdown);
    else state.alpha = state.rho / product;
  }

  KOKKOS_FUNCTION static void smooth(Recurrence<Scalar>& state, const Scalar& ts, const Scalar& tt) {
    if (state.residual <= state.target) state.omega = Scalar(0);
    else if (!triangular::is_finite(ts)) state.stop(StopReason::NotFinite);
    else if (tt == Scalar(0)) state.stop(StopReason::Breakdown);
    else state.omega = ts / tt;
  }
};

/// The projection of a product that is there.
template <class Scalar>
struct Project {
  static constexpr int sums = Projection<Scalar>::sums;
  Projection<Scalar> projection;
  Columns<const Scalar> y;

  struct Rows {
    const Scalar* w;
    const Scalar* y;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, sums>& sum) const {
      Projection<Scalar>::add(w[row], y[row], sum);
    }
  };
  KOKKOS_FUNCTION bool acts_on(int column) const { return projection.shared.of(column).is_running(); }
  KOKKOS_FUNCTION Rows rows_of(int column) const { return {projection.w(column), y(column)}; }
  KOKKOS_FUNCTION void final(int column, const Sums<Scalar, sums>& total) const { projection.final(column, total); }
};

}  // namespace terrace::krylov
