// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GMRES does to its basis, besides making a new vector orthogonal (orthogonalize.hpp): start it, combine its
// vectors.
#pragma once

#include "algorithms/krylov/orthogonalize.hpp"

namespace terrace::krylov {

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
