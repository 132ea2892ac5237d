// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrices that are factorized: the symmetric ones that the lower triangles of the matrix source belong to.
#pragma once

#include <vector>

#include "harness/lower_triangle.hpp"

namespace terrace::perf {

/// Compressed rows on the host, ascending, with the diagonal.
struct FullMatrix {
  int n = 0;
  std::vector<int> row_map{0};
  std::vector<int> entries;
  std::vector<double> values;

  std::size_t nnz() const { return entries.size(); }
};

/// L + L^T off the diagonal, and a diagonal that outweighs each row, so that the matrix is positive definite.
FullMatrix symmetric_matrix(const LowerTriangle& L);

/// Rows of the largest level set of its lower triangle.
int widest_level(const FullMatrix& A);

}  // namespace terrace::perf
