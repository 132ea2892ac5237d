// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices/symmetric_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace terrace::perf {
namespace {

std::vector<int> row_map_of(const LowerTriangle& L) {
  std::vector<int> lengths(static_cast<std::size_t>(L.n) + 1, 0);
  for (int row = 0; row < L.n; ++row)
    for (std::size_t k = L.row_map[row]; k < L.row_map[row + 1]; ++k) {
      ++lengths[row + 1];
      if (L.entries[k] != row) ++lengths[L.entries[k] + 1];
    }
  for (int row = 0; row < L.n; ++row) lengths[row + 1] += lengths[row];
  return lengths;
}

void set_diagonals(Rows& A) {
  for (int row = 0; row < A.n; ++row) {
    double sum = 0.01;
    int diagonal = -1;
    for (int k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      if (A.entries[k] == row) diagonal = k;
      else sum += std::abs(A.values[k]);
    }
    A.values[diagonal] = static_cast<Real>(sum);
  }
}

}  // namespace

Rows symmetric_matrix(const LowerTriangle& L) {
  Rows A{L.n, row_map_of(L), {}, {}};
  A.entries.resize(static_cast<std::size_t>(A.row_map.back()));
  A.values.resize(A.entries.size());
  std::vector<int> next(A.row_map.begin(), A.row_map.end() - 1);
  const auto place = [&](int row, int column, Real value) {
    A.entries[next[row]] = column;
    A.values[next[row]++] = value;
  };
  // Row by row: a row's entries left of the diagonal come with it, those right of it with later rows.
  for (int row = 0; row < L.n; ++row)
    for (std::size_t k = L.row_map[row]; k < L.row_map[row + 1]; ++k) {
      place(row, L.entries[k], L.values[k]);
      if (L.entries[k] != row) place(L.entries[k], row, L.values[k]);
    }
  set_diagonals(A);
  return A;
}

}  // namespace terrace::perf
