// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A X = B on the host, in the widest precision.
#pragma once

#include <complex>
#include <cstddef>
#include <terrace/matrix_market.hpp>
#include <vector>

namespace terrace::tools {

/// Number: double or std::complex<double>.
template <class Number>
struct LinearSystem {
  int rows = 0;
  std::vector<std::size_t> row_map;  ///< rows + 1
  std::vector<int> entries;
  std::vector<Number> values;
  int columns = 1;
  std::vector<Number> b;  ///< columns of `rows` numbers, one after the other
};

/// The matrix, without a right-hand side; rounded to single precision when asked to.
/// \throws Error NotSquare
template <class Number>
LinearSystem<Number> extract_system(const MatrixMarketMatrix& matrix, bool single);

/// b = A x for a seeded random x with parts in [-1, 1].
template <class Number>
void make_right_hand_side(LinearSystem<Number>& system, unsigned seed);

/// ||b - A x|| / ||b|| for each column; 0 when b is zero and x solves it.
template <class Number>
std::vector<double> relative_residuals(const LinearSystem<Number>& system, const std::vector<Number>& x);

}  // namespace terrace::tools
