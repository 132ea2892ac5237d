// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices/band_shapes.hpp"

#include <algorithm>

#include "common/random.hpp"

namespace terrace::perf {

LowerTriangle dense_pattern(int n) {
  LowerTriangle L{n, {0}, {}, {}};
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column <= row; ++column) L.entries.push_back(column);
    L.row_map.push_back(L.entries.size());
  }
  return L;
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
