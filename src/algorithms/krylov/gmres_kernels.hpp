// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GMRES does to its basis: start it, project onto it, subtract from a new vector, combine its vectors.
#pragma once

#include "algorithms/krylov/hessenberg.hpp"

namespace terrace::krylov {

/// Vectors of equal length, one after the other.
template <class Scalar>
struct Basis {
  Scalar* data;
  std::ptrdiff_t rows;
  KOKKOS_FUNCTION Scalar& operator()(int row, int column) const { return data[column * rows + row]; }
};

/// v_0 = r / |r|, and the right-hand side |r| e_0 of the small problem.
template <class Scalar>
struct StartBasis {
  Basis<Scalar> basis;
  Hessenberg<Scalar> hessenberg;
  const Recurrence<Scalar>* state;
  KOKKOS_FUNCTION void operator()(int row) const {
    if (state->norm > 0) basis(row, 0) = basis(row, 0) / state->norm;
    if (row == 0) hessenberg.rhs[0] = Scalar(state->norm);
  }
};

/// (v_first, w), ..., for up to eight columns; the first time in units that the first w of a cycle determines.
template <class Scalar>
struct ProjectOntoBasis {
  static constexpr int most = 8;
  using value_type = Sums<Scalar, most>;
  Basis<Scalar> basis;
  const Scalar* w;
  Hessenberg<Scalar> hessenberg;
  int first;
  int count;
  bool again;  // the second orthogonalization
  Shared<Scalar> shared;
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const {
    for (int k = 0; k < count; ++k) sum.of[k] += conjugate(basis(row, first + k)) * w[row];
  }
  KOKKOS_FUNCTION void final(value_type& sum) const {
    auto& state = shared.of(0);
    if (shared.exponents[0] != 0) {
      state.operator_exponent = shared.scale_of(0);
      shared.exponents[0] = 0;
    }
    const auto scale = parallel::power_of_two<RealOf<Scalar>>(state.operator_exponent);
    for (int k = 0; k < count; ++k) {
      if (!again) hessenberg.column[first + k] = sum.of[k] * scale;
      else hessenberg.column[first + k] += hessenberg.correction[first + k] = sum.of[k];
    }
  }
};

/// value - V h, in one row.
template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar subtracted(const Basis<Scalar>& basis, int row, int columns, const Scalar* coefficients,
                                         Scalar value) {
  for (int k = 0; k < columns; ++k) value -= basis(row, k) * coefficients[k];
  return value;
}

/// w = 2^e w - V h.
template <class Scalar>
struct SubtractProjections {
  Basis<Scalar> basis;
  Scalar* w;
  const Scalar* coefficients;
  int columns;
  const Recurrence<Scalar>* state;
  KOKKOS_FUNCTION void operator()(int row) const {
    const auto scale = parallel::power_of_two<RealOf<Scalar>>(state->operator_exponent);
    w[row] = subtracted(basis, row, columns, coefficients, w[row] * scale);
  }
};

/// The second time, with the norm of what is left.
template <class Scalar>
struct CompleteColumn {
  using value_type = Sums<RealOf<Scalar>, 1>;
  Basis<Scalar> basis;
  Scalar* w;
  Hessenberg<Scalar> hessenberg;
  int columns;
  Shared<Scalar> shared;
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const {
    w[row] = subtracted(basis, row, columns, hessenberg.correction, w[row]);
    sum.of[0] += square(w[row]);
  }
  KOKKOS_FUNCTION void final(value_type& sum) const { hessenberg.append(columns - 1, Kokkos::sqrt(sum.of[0]), shared); }
};

template <class Scalar>
struct Normalize {
  Scalar* w;
  const Recurrence<Scalar>* state;
  KOKKOS_FUNCTION void operator()(int row) const { w[row] *= state->alpha; }
};

/// y for the basis of A M itself, and in units of x if it is to be combined there.
template <class Scalar>
struct SolveSmallProblem {
  Hessenberg<Scalar> hessenberg;
  const Recurrence<Scalar>* state;
  bool in_units_of_x;
  KOKKOS_FUNCTION void operator()(int) const {
    hessenberg.solve(state->columns, state->operator_exponent - (in_units_of_x ? state->exponent : 0));
  }
};

/// to = V y, or to += V y.
template <class Scalar>
struct Combine {
  Basis<Scalar> basis;
  const Scalar* y;
  const Recurrence<Scalar>* state;
  Scalar* to;
  bool add;
  KOKKOS_FUNCTION void operator()(int row) const {
    Scalar sum = add ? to[row] : Scalar(0);
    for (int k = 0; k < state->columns; ++k) sum += basis(row, k) * y[k];
    to[row] = sum;
  }
};

/// x += step, in units of x, if there is a step: M may make anything of zero.
template <class Scalar>
struct AddTo {
  Scalar* x;
  const Scalar* step;
  const Recurrence<Scalar>* state;
  KOKKOS_FUNCTION void operator()(int row) const {
    if (state->columns > 0) x[row] += step[row] * parallel::power_of_two<RealOf<Scalar>>(-state->exponent);
  }
};

}  // namespace terrace::krylov
