// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/system.hpp"

#include <climits>
#include <numeric>
#include <stdexcept>

#include "harness/random.hpp"

namespace terrace::perf {

std::vector<Real> make_right_hand_side(std::size_t n) {
  Random random(2);
  std::vector<Real> b(n);
  for (Real& number : b) number = static_cast<Real>(2.0 * random.uniform() - 1.0);
  return b;
}

std::vector<int> narrow_row_map(const LowerTriangle& L) {
  if (L.nnz() > INT_MAX) throw std::runtime_error("the matrix has more entries than an int counts");
  return {L.row_map.begin(), L.row_map.end()};
}

Columns to_columns(const LowerTriangle& L) {
  Columns columns{std::vector<int>(static_cast<std::size_t>(L.n) + 1, 0), std::vector<int>(L.nnz()),
                  std::vector<Real>(L.nnz())};
  for (int column : L.entries) ++columns.column_map[column + 1];
  std::partial_sum(columns.column_map.begin(), columns.column_map.end(), columns.column_map.begin());
  std::vector<int> next(columns.column_map.begin(), columns.column_map.end() - 1);
  for (int row = 0; row < L.n; ++row)
    for (std::size_t k = L.row_map[row]; k < L.row_map[row + 1]; ++k) {
      const int position = next[L.entries[k]]++;
      columns.entries[position] = row;
      columns.values[position] = L.values[k];
    }
  return columns;
}

}  // namespace terrace::perf
