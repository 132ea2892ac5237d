// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Residuals with a symmetric matrix of which one triangle is stored, and the componentwise backward error
//
//     omega(x) = max_i |b - A x|_i / (|A| |x| + |b|)_i
//
// (Oettli and Prager 1964): the smallest relative change of A's and b's entries for which x is the solution. Sums are
// made in double precision at least, and compensated: with plain ones of rows with hundreds of entries refinement ends
// at several units.
//
// Unknowns may decay out of the range of the type, as along a chain behind a point source; there a row's numbers are
// all rounding. A row whose denominator is below eps^2 max_j |a_ij| max_j |x_j|, and whose b_i is below eps^2 max_j
// |b_j|, is divided by max_j |a_ij| max_j |x_j|. (Arioli, Demmel and Duff 1989, section 4, do so from 1000 n eps on,
// and whatever b_i is: then a multiple of a null vector, if it is large enough, solves every system.)
#pragma once

#include "algorithms/ldlt/compensated_sum.hpp"
#include "algorithms/ldlt/vectors.hpp"

namespace terrace::ldlt {

/// All entries of A by rows, each with its place in the caller's values.
template <class Scalar, class Offset>
struct SymmetricRows {
  const std::size_t* row_map;
  const int* columns;
  const Offset* source;
  const Scalar* values;
  bool conjugate = false;  // the matrix is the conjugate of A

  KOKKOS_FUNCTION Scalar value(std::size_t k) const { return conjugated_if(conjugate, values[source[k]]); }
};

template <class Scalar>
struct WideOf {
  using type = double;
};
template <class Real>
struct WideOf<Kokkos::complex<Real>> {
  using type = Kokkos::complex<double>;
};
template <class Scalar>
using Wide = typename WideOf<Scalar>::type;

/// r = b - A x for some columns. R may not be B or X.
template <class Scalar, class Offset, class Space>
struct Residual {
  SymmetricRows<Scalar, Offset> A;
  detail::MultiVector<const Scalar, Space> B, X;
  detail::MultiVector<Scalar, Space> R;

  KOKKOS_FUNCTION void operator()(int row) const {
    for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(B.columns); ++c) {
      CompensatedSum<Wide<Scalar>> sum(B(row, c));
      for (std::size_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
        sum.subtract(Wide<Scalar>(A.value(k)) * Wide<Scalar>(X(A.columns[k], c)));
      R(row, c) = static_cast<Scalar>(sum.value());
    }
  }
};

/// max |x| of one column.
template <class Scalar, class Space>
struct LargestOfColumn {
  detail::MultiVector<const Scalar, Space> X;
  std::ptrdiff_t column;

  KOKKOS_FUNCTION void operator()(int row, double& largest) const {
    largest = Kokkos::max(largest, static_cast<double>(Kokkos::abs(X(row, column))));
  }
};

/// The largest quotient of one column; infinite after one that is not a number.
template <class Scalar, class Offset, class Space>
struct BackwardError {
  SymmetricRows<Scalar, Offset> A;
  detail::MultiVector<const Scalar, Space> B, X;
  std::ptrdiff_t column;
  double largest_b = 0, largest_x = 0;  // zeros: rows that are all rounding are as any other

  KOKKOS_FUNCTION void operator()(int row, double& largest) const {
    constexpr double eps = Kokkos::Experimental::epsilon_v<decltype(Kokkos::abs(Scalar()))>;
    const Wide<Scalar> right_hand_side(B(row, column));
    CompensatedSum<Wide<Scalar>> sum(right_hand_side);
    const double b = Kokkos::abs(right_hand_side);
    double size = b, widest = 0;
    for (std::size_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const Wide<Scalar> a(A.value(k)), x(X(A.columns[k], column));
      sum.subtract(a * x);
      size += Kokkos::abs(a) * Kokkos::abs(x);
      widest = Kokkos::max(widest, static_cast<double>(Kokkos::abs(a)));
    }
    if (size < eps * eps * widest * largest_x && b <= eps * eps * largest_b) size = widest * largest_x;
    const double rest = Kokkos::abs(sum.value());
    double quotient = rest == 0 ? 0 : rest / size;
    if (!triangular::is_finite(X(row, column))) quotient = Kokkos::Experimental::quiet_NaN_v<double>;  // no row names x
    if (!(quotient <= largest)) largest = quotient == quotient ? quotient : Kokkos::Experimental::infinity_v<double>;
  }
};

/// Y = A X.
template <class Scalar, class Offset, class Space>
struct MultiplySymmetric {
  SymmetricRows<Scalar, Offset> A;
  detail::MultiVector<const Scalar, Space> X;
  detail::MultiVector<Scalar, Space> Y;

  KOKKOS_FUNCTION void operator()(int row) const {
    for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(X.columns); ++c) {
      Wide<Scalar> sum(0);
      for (std::size_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
        sum += Wide<Scalar>(A.value(k)) * Wide<Scalar>(X(A.columns[k], c));
      Y(row, c) = static_cast<Scalar>(sum);
    }
  }
};

/// sum = X + D; sum may be either.
template <class Scalar, class Space>
struct AddColumns {
  detail::MultiVector<const Scalar, Space> X, D;
  detail::MultiVector<Scalar, Space> sum;
  KOKKOS_FUNCTION void operator()(int row) const {
    for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(X.columns); ++c) sum(row, c) = X(row, c) + D(row, c);
  }
};

template <class Scalar, class Space>
struct CopyColumns {
  detail::MultiVector<const Scalar, Space> from;
  detail::MultiVector<Scalar, Space> to;
  KOKKOS_FUNCTION void operator()(int row) const {
    for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(from.columns); ++c) to(row, c) = from(row, c);
  }
};

}  // namespace terrace::ldlt
