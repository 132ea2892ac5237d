// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A X = B on the host, in the widest precision. A is kept in compressed rows or as the diagonals of a grid.
#pragma once

#include <optional>

#include "system/matrix_source.hpp"

namespace terrace::tools {

/// Number: double or std::complex<double>.
template <class Number>
struct LinearSystem {
  std::optional<GridProblem> diagonals;  ///< of A, or none; its b is not used
  HostMatrix<Number> matrix;             ///< A where there are no diagonals
  int columns = 1;
  std::vector<Number> b;  ///< columns of rows() numbers, one after the other

  std::int64_t rows() const { return diagonals ? diagonals->grid.cells() : matrix.n; }
};

/// A and, where the source has one, b; rounded to single precision when asked to. Takes over what was read.
/// \throws Error NotSquare; OutOfMemory: a grid of more cells than compressed rows can count.
template <class Number>
LinearSystem<Number> take_system(SourceMatrix&& source, bool as_diagonals, bool single);

/// b = A x for a seeded random x with parts in [-1, 1].
template <class Number>
void make_right_hand_side(LinearSystem<Number>& system, unsigned seed);

/// Takes over the columns of a file. \throws Error SizeMismatch; UsageError for a complex file and a real system.
template <class Number>
void set_right_hand_sides(LinearSystem<Number>& system, const MatrixMarketVectors& vectors, const std::string& path);

/// ||b - A x|| / ||b|| for each column; 0 when b is zero and x solves it.
template <class Number>
std::vector<double> relative_residuals(const LinearSystem<Number>& system, const std::vector<Number>& x);

}  // namespace terrace::tools
