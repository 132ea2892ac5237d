// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lower triangular matrix in compressed rows on the host, as the matrix source makes it.
#pragma once

#include <utility>
#include <vector>

#include "common/host_matrix.hpp"
#include "matrices/real.hpp"

namespace terrace::perf {

/// The diagonal is stored, so it is the last entry of its row.
using LowerTriangle = common::HostMatrix<Real>;

/// The indices in ints, as the peers want them.
using Rows = common::HostMatrix<Real, int>;

/// The same matrix. \throws LeftOut if it has more entries than an int counts
Rows in_ints(LowerTriangle L);

/// Two vertices of an undirected graph.
using Edge = std::pair<int, int>;

/// The pattern of the lower half of a graph's matrix, with the diagonal. Edges may come in any order, in
/// either direction and repeatedly; loops are dropped. `values` stays empty.
LowerTriangle lower_pattern(int n, const std::vector<Edge>& edges);

/// Gives the pattern values of both signs whose rows are strictly diagonally dominant, so that the
/// solution has the size of the right-hand side. The same seed gives the same values.
void fill_values(LowerTriangle& L, unsigned seed);

/// Levels of the dependence graph: a row is one level above the highest row that it reads.
struct LevelCount {
  int levels = 0;
  int widest = 0;  ///< rows in the largest level
};
LevelCount count_levels(const LowerTriangle& L);

/// The same of the upper triangle that is the transpose of L.
LevelCount count_levels_of_transpose(const LowerTriangle& L);

/// And of the lower triangle of a whole matrix.
LevelCount count_levels_of_lower_triangle(const Rows& A);

}  // namespace terrace::perf
