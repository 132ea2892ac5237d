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
  using Real = RealOf<Scalar>;

  KOKKOS_FUNCTION static void set_step_length(Recurrence<Scalar>& state, Real curvature) {
    if (!Kokkos::isfinite(curvature)) return state.stop(StopReason::NotFinite);
    if (!(curvature > 0)) return state.stop(StopReason::Indefinite);
    state.alpha = state.rho / curvature;
    state.alpha_of_x = state.in_units_of_x(state.alpha);
  }

  KOKKOS_FUNCTION static void set_shadow_product(Recurrence<Scalar>& state, const Scalar& product) {
    if (!triangular::is_finite(product)) return state.stop(StopReason::NotFinite);
    if (product == Scalar(0)) return state.stop(StopReason::Breakdown);
    state.alpha = state.rho / product;
    state.alpha_of_x = state.in_units_of_x(state.alpha);
    state.shift = balancing_shift(state.norm, Kokkos::abs(state.alpha));
  }

  /// Where A M is very large or very small, so is t = A M s, and (t, t) more so: then s is to be as small as t is
  /// large. 1 / |alpha| is the size of A M.
  KOKKOS_FUNCTION static int balancing_shift(Real norm, Real alpha) {
    constexpr int most = parallel::largest_exponent<Real> / 3;
    if (!(norm > Real(0) && alpha > Real(0)) || !Kokkos::isfinite(alpha)) return 0;
    const int of_s = static_cast<int>(Kokkos::logb(norm)), of_t = of_s - static_cast<int>(Kokkos::logb(alpha));
    const bool is_safe = -most < of_s && of_s < most && -most < of_t && of_t < most;
    return is_safe ? 0 : Kokkos::max(-most, Kokkos::min(-(of_s + of_t) / 2, most));
  }

  KOKKOS_FUNCTION static void smooth(Recurrence<Scalar>& state, const Scalar& ts, const Scalar& tt) {
    if (state.half <= state.small) state.omega = Scalar(0);
    else if (!triangular::is_finite(ts) || !triangular::is_finite(tt)) state.stop(StopReason::NotFinite);
    else if (tt == Scalar(0)) state.stop(StopReason::Breakdown);
    else state.omega = ts / tt;
    state.omega_of_x = state.in_units_of_x(state.omega);
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
