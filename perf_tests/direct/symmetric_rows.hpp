// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrices of the direct factorizations: real symmetric or complex symmetric, of which the lower triangle is held.
#pragma once

#include <complex>
#include <string>
#include <type_traits>

#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

using Complex = std::complex<Real>;

template <class Number>
inline constexpr bool is_complex = !std::is_floating_point_v<Number>;

/// The lower triangle by rows, each of which ends with its diagonal; at the same time the upper one by columns.
template <class Number>
struct SymmetricRows : common::HostMatrix<Number, int> {
  bool is_positive_definite = false;  ///< and real; of stored matrices: perhaps
  bool is_stored = false;             ///< read from a file, and perhaps badly scaled
};

/// Values for a pattern: a weighted graph Laplacian, -w off the diagonal with w between 1/2 and 3/2, and the sum of the
/// row's w times 1.001 on it. Dominance so weak keeps the entries of L from dying out along a path: numbers too small
/// for a double would be slow. Complex weights are w (1 + iv) with v between 0 and 1/2, so that the real part is
/// positive definite and the matrix is symmetric, not Hermitian. The same pattern gets the same values.
template <class Number>
SymmetricRows<Number> laplacian_on(const LowerTriangle& pattern);

/// The lower triangle of a Matrix Market file; a diagonal entry that is not stored is a zero. \throws LeftOut where the
/// reader refuses the file, or it is not symmetric, or not of this kind of numbers
template <class Number>
SymmetricRows<Number> read_symmetric(const std::string& path);

/// The upper triangle by rows, each of which begins with its diagonal.
template <class Number>
common::HostMatrix<Number, int> upper_triangle(const SymmetricRows<Number>& A) {
  return common::transpose(static_cast<const common::HostMatrix<Number, int>&>(A));
}

/// Both triangles.
template <class Number>
common::HostMatrix<Number, int> both_triangles(const SymmetricRows<Number>& A);

}  // namespace terrace::perf
