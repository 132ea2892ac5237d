// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A new vector of GMRES is made orthogonal to its basis, by classical Gram-Schmidt, twice. That is as stable as the
// modified form (Giraud, Langou, Rozloznik 2005), and its dot products are independent of each other, so that many of
// them share one kernel and one reading of w; the modified form needs one kernel and one sum after another for each.
// The norm of what is left comes out of the last subtraction, and with it the rotated column (hessenberg.hpp).
//
// Here the basis is read four times; backends/cuda reads it three times.
#pragma once

#include <algorithm>

#include "algorithms/krylov/hessenberg.hpp"

namespace terrace::krylov {

/// Vectors of equal length, one after the other.
template <class Scalar>
struct Basis {
  Scalar* data;
  std::ptrdiff_t rows;
  KOKKOS_FUNCTION Scalar& operator()(std::ptrdiff_t row, int column) const { return data[column * rows + row]; }
};

/// w = A M v_j, which follows on the j + 1 `columns` of the basis, and what becomes of its projections onto them. In
/// units that the first w of a cycle determines: 2^operator_exponent w.
template <class Scalar>
struct NewColumn {
  Basis<Scalar> basis;
  Scalar* w;
  Hessenberg<Scalar> hessenberg;
  int columns;
  Shared<Scalar> shared;
  Gathering<Scalar> gathering;
  PartialSums<Scalar> partial_sums;

  KOKKOS_FUNCTION RealOf<Scalar> scale() const {
    return parallel::power_of_two<RealOf<Scalar>>(shared.state->operator_exponent);
  }

  /// Once, before the first projection is kept.
  KOKKOS_FUNCTION void take_units() const {
    if (shared.exponents[0] == 0) return;
    shared.state->operator_exponent = shared.scale_of(0);
    shared.exponents[0] = 0;
  }

  /// (v_k, w), the first time; then (v_k, w - V h).
  KOKKOS_FUNCTION void keep(int k, const Scalar& sum, bool again) const {
    if (!again) hessenberg.column[k] = sum * scale();
    else hessenberg.column[k] += hessenberg.correction[k] = sum;
  }

  KOKKOS_FUNCTION void complete(RealOf<Scalar> square_of_norm) const {
    hessenberg.append(columns - 1, Kokkos::sqrt(square_of_norm), shared);
  }
};

/// (v_first, w), ..., for up to eight columns.
template <class Scalar>
struct ProjectOntoBasis {
  static constexpr int most = 8;
  using value_type = Sums<Scalar, most>;
  NewColumn<Scalar> column;
  int first;
  int count;
  bool again;  // the second orthogonalization
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const {
    for (int k = 0; k < count; ++k) sum.of[k] += conjugate(column.basis(row, first + k)) * column.w[row];
  }
  KOKKOS_FUNCTION void final(value_type& sum) const {
    column.take_units();
    for (int k = 0; k < count; ++k) column.keep(first + k, sum.of[k], again);
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
  NewColumn<Scalar> column;
  KOKKOS_FUNCTION void operator()(int row) const {
    Scalar& w = column.w[row];
    w = subtracted(column.basis, row, column.columns, column.hessenberg.column, w * column.scale());
  }
};

/// The second time, with the norm of what is left.
template <class Scalar>
struct CompleteColumn {
  using value_type = Sums<RealOf<Scalar>, 1>;
  NewColumn<Scalar> column;
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const {
    Scalar& w = column.w[row];
    w = subtracted(column.basis, row, column.columns, column.hessenberg.correction, w);
    sum.of[0] += square(w);
  }
  KOKKOS_FUNCTION void final(value_type& sum) const { column.complete(sum.of[0]); }
};

template <class Space, class Scalar>
void project(const Space& space, const NewColumn<Scalar>& column, bool again) {
  for (int first = 0; first < column.columns; first += ProjectOntoBasis<Scalar>::most) {
    const int count = std::min(ProjectOntoBasis<Scalar>::most, column.columns - first);
    Kokkos::parallel_reduce("terrace::krylov::project", each_row(space, static_cast<std::size_t>(column.basis.rows)),
                            ProjectOntoBasis<Scalar>{column, first, count, again});
  }
}

/// Enqueued: w without its projections, the new column of the Hessenberg matrix, and alpha = 1 / |w|.
template <class Space, class Scalar>
void orthogonalize(const Space& space, const NewColumn<Scalar>& column) {
  const auto each = each_row(space, static_cast<std::size_t>(column.basis.rows));
  project(space, column, false);
  Kokkos::parallel_for("terrace::krylov::subtract_projections", each, SubtractProjections<Scalar>{column});
  project(space, column, true);
  Kokkos::parallel_reduce("terrace::krylov::complete_column", each, CompleteColumn<Scalar>{column});
}

}  // namespace terrace::krylov
