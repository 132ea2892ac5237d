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
    if (state->residual > 0) basis(row, 0) = basis(row, 0) / state->residual;
    if (row == 0) hessenberg.rhs[0] = Scalar(state->residual);
  }
};

/// (v_first, w), ..., for up to eight columns.
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
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const {
    for (int k = 0; k < count; ++k) sum.of[k] += conjugate(basis(row, first + k)) * w[row];
  }
  KOKKOS_FUNCTION void final(value_type& sum) const {
    for (int k = 0; k < count; ++k) {
      if (!again) hessenberg.column[first + k] = sum.of[k];
      else hessenberg.column[first + k] += hessenberg.correction[first + k] = sum.of[k];
    }
  }
};

/// w -= V h.
template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar subtracted(const Basis<Scalar>& basis, int row, int columns, const Scalar* coefficients,
                                         Scalar value) {
  for (int k = 0; k < columns; ++k) value -= basis(row, k) * coefficients[k];
  return value;
}

template <class Scalar>
struct SubtractProjections {
  Basis<Scalar> basis;
  Scalar* w;
  const Scalar* coefficients;
  int columns;
  KOKKOS_FUNCTION void operator()(int row) const { w[row] = subtracted(basis, row, columns, coefficients, w[row]); }
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

template <class Scalar>
struct SolveSmallProblem {
  Hessenberg<Scalar> hessenberg;
  const Recurrence<Scalar>* state;
  KOKKOS_FUNCTION void operator()(int) const { hessenberg.solve(state->columns); }
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

template <class Scalar>
struct AddTo {
  Scalar* x;
  const Scalar* step;
  KOKKOS_FUNCTION void operator()(int row) const { x[row] += step[row]; }
};

}  // namespace terrace::krylov
