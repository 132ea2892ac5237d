// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/entry_facts.hpp"

#include <cmath>

namespace terrace::tools {
namespace {

double imaginary_at(const MatrixMarketMatrix& matrix, std::size_t k) {
  return matrix.imaginary.empty() ? 0 : matrix.imaginary[k];
}

void look_at_row(const MatrixMarketMatrix& matrix, std::int64_t row, EntryFacts& facts) {
  bool has_diagonal = false;
  bool has_zero_diagonal = false;
  bool is_finite = true;
  for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
    const int column = matrix.entries[k];
    const double imaginary = imaginary_at(matrix, k);
    is_finite = is_finite && std::isfinite(matrix.real[k]) && std::isfinite(imaginary);
    ++(column < row ? facts.below : column > row ? facts.above : facts.diagonal);
    if (column != row) continue;
    has_diagonal = true;
    has_zero_diagonal = matrix.real[k] == 0 && imaginary == 0;
  }
  if (!has_diagonal && row < matrix.header.columns) facts.missing_diagonal.add(row);
  if (has_zero_diagonal) facts.zero_diagonal.add(row);
  if (!is_finite) facts.nonfinite.add(row);
}

}  // namespace

EntryFacts find_entry_facts(const MatrixMarketMatrix& matrix) {
  EntryFacts facts;
  for (std::int64_t row = 0; row < matrix.header.rows; ++row) look_at_row(matrix, row, facts);
  return facts;
}

}  // namespace terrace::tools
