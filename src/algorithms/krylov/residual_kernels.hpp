// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Residuals and their norms, which every method starts from and the check at the end needs. A norm takes two kernels:
// one notes the exponents of the vector, the next multiplies by the power of two that follows and sums squares.
#pragma once

#include "algorithms/krylov/each_column.hpp"

namespace terrace::krylov {

/// r = b - r, where r holds A x; notes its exponents.
template <class Scalar>
struct SubtractFrom {
  static constexpr int sums = 0;
  Columns<const Scalar> b;
  Columns<Scalar> r;
  Shared<Scalar> shared;

  struct Rows {
    const Scalar* b;
    Scalar* r;
    int* exponent;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 0>&) const {
      const Scalar rest = b[row] - r[row];
      r[row] = rest;
      parallel::note_exponent(*exponent, rest);
    }
  };
  KOKKOS_FUNCTION bool acts_on(int) const { return true; }
  KOKKOS_FUNCTION Rows rows_of(int column) const { return {b(column), r(column), shared.exponents + column}; }
};

template <class Scalar>
struct NoteExponents {
  static constexpr int sums = 0;
  Columns<const Scalar> vectors;
  Shared<Scalar> shared;

  struct Rows {
    const Scalar* vector;
    int* exponent;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 0>&) const {
      parallel::note_exponent(*exponent, vector[row]);
    }
  };
  KOKKOS_FUNCTION bool acts_on(int) const { return true; }
  KOKKOS_FUNCTION Rows rows_of(int column) const { return {vectors(column), shared.exponents + column}; }
};

/// A norm that may be too large or too small for a Real: value 2^-exponent.
template <class Real>
struct ScaledNorm {
  Real value;
  int exponent;
};

/// Norms of vectors whose exponents have been noted.
template <class Scalar>
struct Norm {
  static constexpr int sums = 1;
  Columns<const Scalar> vectors;
  Shared<Scalar> shared;
  ScaledNorm<RealOf<Scalar>>* norms;

  struct Rows {
    const Scalar* vector;
    RealOf<Scalar> scale;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 1>& sum) const {
      sum.of[0] += Scalar(square(vector[row] * scale));
    }
  };
  KOKKOS_FUNCTION bool acts_on(int) const { return true; }
  KOKKOS_FUNCTION Rows rows_of(int column) const {
    return {vectors(column), parallel::power_of_two<RealOf<Scalar>>(shared.scale_of(column))};
  }
  KOKKOS_FUNCTION void final(int column, const Sums<Scalar, 1>& total) const {
    norms[column] = {Kokkos::sqrt(real_part(total.of[0])), shared.scale_of(column)};
    shared.exponents[column] = 0;
  }
};

/// to = 2^e from, where e follows from the norm of each column.
template <class Scalar>
struct CopyScaled {
  static constexpr int sums = 0;
  Columns<const Scalar> from;
  Columns<Scalar> to;
  const ScaledNorm<RealOf<Scalar>>* norms;

  struct Rows {
    const Scalar* from;
    Scalar* to;
    RealOf<Scalar> scale;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 0>&) const { to[row] = from[row] * scale; }
  };
  KOKKOS_FUNCTION bool acts_on(int) const { return true; }
  KOKKOS_FUNCTION Rows rows_of(int column) const {
    return {from(column), to(column), parallel::power_of_two<RealOf<Scalar>>(norms[column].exponent)};
  }
};

/// Brings a residual whose exponents have been noted into the units of the recurrence, and takes its norm: that of the
/// start, which may be small enough already. What M still has to be applied to (`is_last` false) is only scaled.
template <class Scalar>
struct StartResidual {
  static constexpr int sums = 1;
  Columns<Scalar> r;
  Shared<Scalar> shared;
  bool is_first, is_last;

  struct Rows {
    Scalar* r;
    RealOf<Scalar> scale;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 1>& sum) const {
      const Scalar scaled = r[row] * scale;
      r[row] = scaled;
      sum.of[0] += Scalar(square(scaled));
    }
  };
  KOKKOS_FUNCTION bool acts_on(int) const { return true; }
  KOKKOS_FUNCTION Rows rows_of(int column) const {
    return {r(column), parallel::power_of_two<RealOf<Scalar>>(shared.scale_of(column))};
  }
  KOKKOS_FUNCTION void final(int column, const Sums<Scalar, 1>& total) const {
    auto& state = shared.of(column);
    const int scale = shared.scale_of(column);
    shared.exponents[column] = 0;
    state.columns = 0;  // also of what has stopped: its basis is used up
    if (!state.is_running()) return;
    state.set_exponent(is_first ? scale : state.exponent + scale);
    if (is_last) state.take(Kokkos::sqrt(real_part(total.of[0])));
  }
};

}  // namespace terrace::krylov
