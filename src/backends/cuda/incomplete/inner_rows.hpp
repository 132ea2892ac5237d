// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows with very many entries left of their diagonals, by inner products, which is Doolittle's form of the elimination:
//
//     w_ij = a_ij - sum_k l_ik u_kj  over the k < min(i, j) that the pattern has in row i and in column j, ascending,
//     l_ij = w_ij / u_jj  left of the diagonal,    u_ij = w_ij  elsewhere.
//
// An entry waits for those that it needs, and for no others. So a row that one warp would take step by step, and is
// long at, is taken by many warps, in pieces of a lane for each entry (eliminate_inner.hpp); the sums keep their order.
// A row that reads all others is a solve with U^T then, whose levels are those of the matrix.
#pragma once

#include "backends/cuda/incomplete/tuning.hpp"
#include "sparse/find_column.hpp"

namespace terrace::cuda::incomplete {

/// l_ik u_kj
template <class Offset>
struct InnerProduct {
  Offset upper;  // position of u_kj
  int step;      // of l_ik among the entries of row i
};

template <class Offset>
struct InnerRows {
  static constexpr int entries_of_piece = 32;  // a lane each

  const int* rows = nullptr;  // ascending
  int count = 0;
  const int* first = nullptr;   // by row: its first entry among those of all these rows; one more
  const int* begins = nullptr;  // by entry: of its products; one more
  const InnerProduct<Offset>* products = nullptr;

  /// Among these rows, or `count`.
  KOKKOS_FUNCTION int number_of(int row) const { return sparse::find_column(rows, 0, count, row); }
};

}  // namespace terrace::cuda::incomplete
