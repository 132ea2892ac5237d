// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Residuals and their norms, which every method starts from and the check at the end needs.
#pragma once

#include "algorithms/krylov/each_column.hpp"

namespace terrace::krylov {

/// r = b - r, where r holds A x.
template <class Scalar>
struct SubtractFrom {
  static constexpr int sums = 0;
  Columns<const Scalar> b;
  Columns<Scalar> r;

  struct Rows {
    const Scalar* b;
    Scalar* r;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 0>&) const { r[row] = b[row] - r[row]; }
  };
  KOKKOS_FUNCTION bool acts_on(int) const { return true; }
  KOKKOS_FUNCTION Rows rows_of(int column) const { return {b(column), r(column)}; }
};

template <class Scalar>
struct Norm {
  static constexpr int sums = 1;
  Columns<const Scalar> vectors;
  RealOf<Scalar>* norms;

  struct Rows {
    const Scalar* vector;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 1>& sum) const { sum.of[0] += Scalar(square(vector[row])); }
  };
  KOKKOS_FUNCTION bool acts_on(int) const { return true; }
  KOKKOS_FUNCTION Rows rows_of(int column) const { return {vectors(column)}; }
  KOKKOS_FUNCTION void final(int column, const Sums<Scalar, 1>& total) const {
    norms[column] = Kokkos::sqrt(real_part(total.of[0]));
  }
};

/// The norm of the residual that a method starts from; it may be small enough already.
template <class Scalar>
struct StartResidual {
  static constexpr int sums = 1;
  Columns<const Scalar> r;
  Shared<Scalar> shared;

  struct Rows {
    const Scalar* r;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 1>& sum) const { sum.of[0] += Scalar(square(r[row])); }
  };
  KOKKOS_FUNCTION bool acts_on(int) const { return true; }
  KOKKOS_FUNCTION Rows rows_of(int column) const { return {r(column)}; }
  KOKKOS_FUNCTION void final(int column, const Sums<Scalar, 1>& total) const {
    auto& state = shared.of(column);
    state.columns = 0;  // also of what has stopped: its basis is used up
    if (!state.is_running()) return;
    state.residual = Kokkos::sqrt(real_part(total.of[0]));
    if (state.iterations == 0) shared.history_of(column)[0] = state.residual;
    if (!Kokkos::isfinite(state.residual)) state.stop(StopReason::NotFinite);
    else if (state.residual <= state.target) state.stop(StopReason::Converged);
  }
};

}  // namespace terrace::krylov
