// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/symmetry.hpp"

#include <algorithm>
#include <complex>

namespace terrace::tools {
namespace {

using Complex = std::complex<double>;

Complex value_at(const MatrixMarketMatrix& matrix, std::size_t k) {
  return {matrix.real[k], matrix.imaginary.empty() ? 0.0 : matrix.imaginary[k]};
}

/// Where (row, column) is stored, or `none`.
constexpr std::size_t none = static_cast<std::size_t>(-1);
std::size_t find_entry(const MatrixMarketMatrix& matrix, int row, int column) {
  const auto begin = matrix.entries.begin() + static_cast<std::ptrdiff_t>(matrix.row_map[row]);
  const auto end = matrix.entries.begin() + static_cast<std::ptrdiff_t>(matrix.row_map[row + 1]);
  const auto found = std::lower_bound(begin, end, column);
  if (found == end || *found != column) return none;
  return static_cast<std::size_t>(found - matrix.entries.begin());
}

void compare(Complex value, Complex mirrored, SymmetryFacts& facts) {
  facts.symmetric = facts.symmetric && value == mirrored;
  facts.skew_symmetric = facts.skew_symmetric && value == -mirrored;
  facts.hermitian = facts.hermitian && value == std::conj(mirrored);
}

}  // namespace

SymmetryFacts find_symmetry(const MatrixMarketMatrix& matrix) {
  SymmetryFacts facts{.structure = true, .matched = 1, .symmetric = true, .skew_symmetric = true, .hermitian = true};
  std::size_t unmatched = 0;
  for (int row = 0; row < matrix.header.rows; ++row) {
    for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      const std::size_t mirror = find_entry(matrix, matrix.entries[k], row);
      compare(value_at(matrix, k), mirror == none ? Complex(0) : value_at(matrix, mirror), facts);
      if (mirror == none) ++unmatched;
    }
  }
  facts.structure = unmatched == 0;
  if (!matrix.entries.empty()) {
    facts.matched = 1 - static_cast<double>(unmatched) / static_cast<double>(matrix.entries.size());
  }
  return facts;
}

}  // namespace terrace::tools
