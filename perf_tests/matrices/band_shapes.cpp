// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices/band_shapes.hpp"

#include <algorithm>

#include "common/random.hpp"

namespace terrace::perf {

namespace {

/// Each row has all columns from first_column(row) to the diagonal.
template <class First>
LowerTriangle without_gaps(int n, const First& first_column) {
  LowerTriangle L{n, {0}, {}, {}};
  for (int row = 0; row < n; ++row) {
    for (int column = first_column(row); column <= row; ++column) L.entries.push_back(column);
    L.row_map.push_back(L.entries.size());
  }
  return L;
}

}  // namespace

LowerTriangle dense_pattern(int n) {
  return without_gaps(n, [](int) { return 0; });
}

LowerTriangle full_band_pattern(int n, int width) {
  return without_gaps(n, [=](int row) { return std::max(0, row - width); });
}

LowerTriangle blocks_pattern(int blocks, int size, int border) {
  const int rows = blocks * size;
  return without_gaps(rows + border, [=](int row) { return row < rows ? row / size * size : 0; });
}

LowerTriangle chain_pattern(int n) {
  LowerTriangle L{n, {0}, {}, {}};
  for (int row = 0; row < n; ++row) {
    if (row > 0) L.entries.push_back(row - 1);
    L.entries.push_back(row);
    L.row_map.push_back(L.entries.size());
  }
  return L;
}

LowerTriangle random_band_pattern(int n, int bandwidth, int draws, unsigned seed) {
  common::Random random(seed);
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(n) * draws);
  for (int row = 1; row < n; ++row)
    for (int draw = 0; draw < draws; ++draw) edges.emplace_back(row, row - 1 - random.below(std::min(row, bandwidth)));
  return lower_pattern(n, edges);
}

}  // namespace terrace::perf
