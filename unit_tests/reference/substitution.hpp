// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Textbook substitution and the componentwise backward error (Oettli and Prager 1964; Higham, "Accuracy and Stability
// of Numerical Algorithms", section 7.2), one row at a time.
#pragma once

#include <cmath>
#include <complex>

#include "reference/largest_error.hpp"
#include "reference/sparse_triangle.hpp"

namespace terrace::reference {

template <class Scalar>
Scalar conjugate_of(const Scalar& value) {
  if constexpr (std::is_floating_point_v<Scalar>) return value;
  else return Scalar(value.real(), -value.imag());
}

/// The rows of op(T), with ones on the diagonal when it is unit.
template <class Scalar>
SparseTriangle<Scalar> apply_op(const SparseTriangle<Scalar>& triangle, Op op, Diag diag) {
  SparseTriangle<Scalar> result{triangle.uplo, std::vector<std::map<int, Scalar>>(triangle.rows.size())};
  if (op != Op::None) result.uplo = triangle.uplo == Uplo::Lower ? Uplo::Upper : Uplo::Lower;
  for (int row = 0; row < triangle.size(); ++row) {
    for (const auto& [column, value] : triangle.rows[row]) {
      const Scalar taken = op == Op::ConjugateTranspose ? conjugate_of(value) : value;
      result.rows[op == Op::None ? row : column][op == Op::None ? column : row] = taken;
    }
    if (diag == Diag::Unit) result.rows[row][row] = Scalar(1);
  }
  return result;
}

/// Solves T x = b by forward or backward substitution.
template <class Scalar>
std::vector<Scalar> substitute(const SparseTriangle<Scalar>& triangle, std::vector<Scalar> b) {
  const int n = triangle.size();
  for (int step = 0; step < n; ++step) {
    const int row = triangle.uplo == Uplo::Lower ? step : n - 1 - step;
    Scalar sum = b[row], pivot(0);
    for (const auto& [column, value] : triangle.rows[row]) {
      if (column == row) pivot = value;
      else sum -= value * b[column];
    }
    b[row] = sum / pivot;
  }
  return b;
}

template <class Scalar>
double magnitude(const Scalar& value) {
  if constexpr (std::is_floating_point_v<Scalar>) return std::abs(static_cast<double>(value));
  else return std::hypot(static_cast<double>(value.real()), static_cast<double>(value.imag()));
}

template <class Scalar>
std::complex<double> widen(const Scalar& value) {
  if constexpr (std::is_floating_point_v<Scalar>) return {static_cast<double>(value), 0.0};
  else return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
}

template <class Scalar>
Scalar narrow(const std::complex<double>& value) {
  if constexpr (std::is_floating_point_v<Scalar>) return static_cast<Scalar>(value.real());
  else return Scalar(static_cast<Real<Scalar>>(value.real()), static_cast<Real<Scalar>>(value.imag()));
}

/// max_i |b - T x|_i / (|T| |x| + |b|)_i, in double precision; infinity when x or b holds a number that is not finite.
/// Where that is expected, a test compares the rows that are affected (is_not_finite).
template <class Scalar>
double backward_error(const SparseTriangle<Scalar>& triangle, const std::vector<Scalar>& b,
                      const std::vector<Scalar>& x) {
  if (b.size() != triangle.rows.size() || x.size() != triangle.rows.size()) return HUGE_VAL;
  LargestError largest;
  for (int row = 0; row < triangle.size(); ++row) {
    std::complex<double> residual = widen(b[row]);
    double scale = magnitude(b[row]);
    for (const auto& [column, value] : triangle.rows[row]) {
      residual -= widen(value) * widen(x[column]);
      scale += magnitude(value) * magnitude(x[column]);
    }
    largest.add(std::abs(residual), scale);
  }
  return largest.value();
}

/// Of each number whether it, or a part of it, is NaN or infinite.
template <class Scalar>
std::vector<bool> is_not_finite(const std::vector<Scalar>& x) {
  std::vector<bool> found;
  for (const Scalar& value : x)
    found.push_back(!std::isfinite(widen(value).real()) || !std::isfinite(widen(value).imag()));
  return found;
}

/// The bound for substitution in any order of summation, with capacity for complex arithmetic.
template <class Scalar>
double allowed_error(const SparseTriangle<Scalar>& triangle) {
  std::size_t longest = 1;
  for (const auto& row : triangle.rows) longest = std::max(longest, row.size());
  return 4.0 * (static_cast<double>(longest) + 2.0) * static_cast<double>(std::numeric_limits<Real<Scalar>>::epsilon());
}

/// The level of each row, by its definition.
template <class Scalar>
std::vector<int> levels_of(const SparseTriangle<Scalar>& triangle) {
  const int n = triangle.size();
  std::vector<int> level(static_cast<std::size_t>(n), 0);
  for (int step = 0; step < n; ++step) {
    const int row = triangle.uplo == Uplo::Lower ? step : n - 1 - step;
    for (const auto& [column, value] : triangle.rows[row])
      if (column != row) level[row] = std::max(level[row], level[column] + 1);
  }
  return level;
}

}  // namespace terrace::reference
