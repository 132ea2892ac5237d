// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A square sparse matrix in compressed rows on the host.
#pragma once

#include <cstddef>
#include <vector>

namespace terrace::common {

/// Indices from 0; columns ascend in each row.
template <class Number, class Offset = std::size_t>
struct HostMatrix {
  int n = 0;
  std::vector<Offset> row_map{0};  ///< n + 1
  std::vector<int> entries;
  std::vector<Number> values;

  std::size_t nnz() const { return entries.size(); }
};

/// Calls visit(row, column, value) for each entry of A, or of its transpose, in the order in which A stores them.
template <class Number, class Offset, class Visit>
void for_each_entry(const HostMatrix<Number, Offset>& A, bool transposed, const Visit& visit) {
  for (int row = 0; row < A.n; ++row)
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
      transposed ? visit(A.entries[k], row, A.values[k]) : visit(row, A.entries[k], A.values[k]);
}

/// Its rows are the columns of A.
template <class Number, class Offset>
HostMatrix<Number, Offset> transpose(const HostMatrix<Number, Offset>& A) {
  HostMatrix<Number, Offset> T{A.n, std::vector<Offset>(A.row_map.size(), 0), std::vector<int>(A.nnz()),
                               std::vector<Number>(A.nnz())};
  for (const int column : A.entries) ++T.row_map[column + 1];
  for (int row = 0; row < T.n; ++row) T.row_map[row + 1] += T.row_map[row];
  std::vector<Offset> next(T.row_map.begin(), T.row_map.end() - 1);
  for_each_entry(A, true, [&](int row, int column, Number value) {
    const Offset k = next[row]++;
    T.entries[k] = column;
    T.values[k] = value;
  });
  return T;
}

}  // namespace terrace::common
