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
//
// On a device a thread is at a long row long after all others are done. Such rows come in parts, which a kernel sums up
// first; what is made for each row then adds up what its parts have, in order.
#pragma once

#include <cstdint>

#include "algorithms/ldlt/long_rows.hpp"
#include "algorithms/ldlt/vectors.hpp"
#include "parallel/compensated_sum.hpp"

namespace terrace::ldlt {

using parallel::CompensatedSum;

/// All entries of A by rows, each with its place in the caller's values.
template <class Scalar, class Offset>
struct SymmetricRows {
  const std::size_t* row_map;
  const int* columns;
  const Offset* source;
  const Scalar* values;
  LongRowsView long_rows;
  bool conjugate = false;  // the matrix is the conjugate of A

  KOKKOS_FUNCTION Scalar value(std::size_t k) const { return conjugated_if(conjugate, values[source[k]]); }

  /// Of a row's entries, or of every step-th from the first on, as Sum adds them.
  template <class Sum, class Vectors>
  KOKKOS_FUNCTION Sum sum_of(int row, const Vectors& X, std::ptrdiff_t column, std::size_t first = 0,
                             std::size_t step = 1) const {
    using Wide = typename Sum::Number;
    Sum sum;
    for (std::size_t k = row_map[row] + first; k < row_map[row + 1]; k += step)
      sum.add(Wide(value(k)), Wide(X(columns[k], column)));
    return sum;
  }
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

/// A x of some entries of a row.
template <class Scalar>
struct ProductSum {
  using Number = Wide<Scalar>;
  CompensatedSum<Number> product;

  KOKKOS_FUNCTION void add(const Number& a, const Number& x) { product.add(a * x); }
  KOKKOS_FUNCTION void add(const ProductSum& other) { product.add(other.product); }
};

/// The same, with |A| |x| and the largest |a|.
template <class Scalar>
struct ErrorSum {
  using Number = Wide<Scalar>;
  CompensatedSum<Number> product;
  double size = 0, widest = 0;

  KOKKOS_FUNCTION void add(const Number& a, const Number& x) {
    product.add(a * x);
    const double size_of_a = Kokkos::abs(a);
    size += size_of_a * Kokkos::abs(x);
    widest = Kokkos::max(widest, size_of_a);
  }
  KOKKOS_FUNCTION void add(const ErrorSum& other) {
    product.add(other.product);
    size += other.size;
    widest = Kokkos::max(widest, other.widest);
  }
};

/// The sums of the parts of long rows, for some columns: parts of one column side by side.
template <class Sum, class Scalar, class Offset, class Space>
struct SumParts {
  SymmetricRows<Scalar, Offset> A;
  detail::MultiVector<const Scalar, Space> X;
  Sum* sums;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto [row, first, step] = A.long_rows.part(static_cast<int>(item % A.long_rows.parts));
    sums[item] = A.template sum_of<Sum>(row, X, static_cast<std::ptrdiff_t>(item / A.long_rows.parts), first, step);
  }
};

/// What rows add up to: items from 0 to A.long_rows.items(rows) - 1. Those that take a long row's own place do nothing.
template <class Sum, class Scalar, class Offset, class Space>
struct RowSums {
  SymmetricRows<Scalar, Offset> A;
  detail::MultiVector<const Scalar, Space> X;
  const Sum* of_parts;
  int rows;

  /// -1: another item's.
  KOKKOS_FUNCTION int row_of(int item) const {
    if (item >= rows) return A.long_rows.row[item - rows];
    return A.row_map[item + 1] - A.row_map[item] > A.long_rows.longest ? -1 : item;
  }
  KOKKOS_FUNCTION Sum sum_of(int item, std::ptrdiff_t column) const {
    if (item < rows) return A.template sum_of<Sum>(item, X, column);
    const Sum* const sums = of_parts + column * A.long_rows.parts;
    Sum sum;
    for (int part = A.long_rows.first_part[item - rows]; part < A.long_rows.first_part[item - rows + 1]; ++part)
      sum.add(sums[part]);
    return sum;
  }
};

/// r = b - A x for some columns. R may not be B or X.
template <class Scalar, class Offset, class Space>
struct Residual {
  RowSums<ProductSum<Scalar>, Scalar, Offset, Space> products;
  detail::MultiVector<const Scalar, Space> B;
  detail::MultiVector<Scalar, Space> R;

  KOKKOS_FUNCTION void operator()(int item) const {
    const int row = products.row_of(item);
    if (row < 0) return;
    for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(B.columns); ++c) {
      CompensatedSum<Wide<Scalar>> sum(Wide<Scalar>(-B(row, c)));
      sum.add(products.sum_of(item, c).product);
      R(row, c) = static_cast<Scalar>(-sum.value());
    }
  }
};

/// Y = A X.
template <class Scalar, class Offset, class Space>
struct MultiplySymmetric {
  RowSums<ProductSum<Scalar>, Scalar, Offset, Space> products;
  detail::MultiVector<Scalar, Space> Y;

  KOKKOS_FUNCTION void operator()(int item) const {
    const int row = products.row_of(item);
    if (row < 0) return;
    for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(Y.columns); ++c)
      Y(row, c) = static_cast<Scalar>(products.sum_of(item, c).product.value());
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

/// The largest quotient of one column, of which sums and B are; infinite after one that is not a number.
template <class Scalar, class Offset, class Space>
struct BackwardError {
  RowSums<ErrorSum<Scalar>, Scalar, Offset, Space> sums;
  detail::MultiVector<const Scalar, Space> B;
  double largest_b = 0, largest_x = 0;  // zeros: rows that are all rounding are as any other

  KOKKOS_FUNCTION void operator()(int item, double& largest) const {
    const int row = sums.row_of(item);
    if (row < 0) return;
    constexpr double eps = Kokkos::Experimental::epsilon_v<decltype(Kokkos::abs(Scalar()))>;
    const Wide<Scalar> right_hand_side(B(row, 0));
    const ErrorSum<Scalar> of_row = sums.sum_of(item, 0);
    CompensatedSum<Wide<Scalar>> rest_sum(-right_hand_side);
    rest_sum.add(of_row.product);
    const double b = Kokkos::abs(right_hand_side), rest = Kokkos::abs(rest_sum.value());
    double size = b + of_row.size;
    if (size < eps * eps * of_row.widest * largest_x && b <= eps * eps * largest_b) size = of_row.widest * largest_x;
    double quotient = rest == 0 ? 0 : rest / size;
    if (!triangular::is_finite(sums.X(row, 0))) quotient = Kokkos::Experimental::quiet_NaN_v<double>;  // no row names x
    if (!(quotient <= largest)) largest = quotient == quotient ? quotient : Kokkos::Experimental::infinity_v<double>;
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
