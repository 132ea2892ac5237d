// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices/lower_triangle.hpp"

#include <algorithm>
#include <climits>
#include <numeric>

#include "common/harness/method.hpp"
#include "common/random.hpp"

namespace terrace::perf {
namespace {

// The columns of each row in any order, perhaps repeatedly; row i lies at begin[i] ... begin[i + 1].
struct Buckets {
  std::vector<std::size_t> begin;
  std::vector<int> columns;
};

Buckets bucket_by_row(int n, const std::vector<Edge>& edges) {
  Buckets buckets{std::vector<std::size_t>(static_cast<std::size_t>(n) + 2, 0), {}};
  for (const auto& [u, v] : edges)
    if (u != v) ++buckets.begin[static_cast<std::size_t>(std::max(u, v)) + 2];
  std::partial_sum(buckets.begin.begin(), buckets.begin.end(), buckets.begin.begin());
  buckets.columns.resize(buckets.begin.back());
  for (const auto& [u, v] : edges)
    if (u != v) buckets.columns[buckets.begin[static_cast<std::size_t>(std::max(u, v)) + 1]++] = std::min(u, v);
  buckets.begin.pop_back();
  return buckets;
}

LevelCount summarize(const std::vector<int>& level) {
  std::vector<int> widths;
  for (const int one : level) {
    if (one >= static_cast<int>(widths.size())) widths.resize(static_cast<std::size_t>(one) + 1);
    ++widths[one];
  }
  const auto widest = std::max_element(widths.begin(), widths.end());
  return {static_cast<int>(widths.size()), widest == widths.end() ? 0 : *widest};
}

template <class Matrix>
LevelCount count_levels_of_rows(const Matrix& A) {
  std::vector<int> level(A.n);
  for (int row = 0; row < A.n; ++row)
    for (auto k = A.row_map[row]; A.entries[k] < row; ++k) level[row] = std::max(level[row], level[A.entries[k]] + 1);
  return summarize(level);
}

}  // namespace

Rows in_ints(LowerTriangle L) {
  if (L.nnz() > INT_MAX) throw LeftOut("the matrix has more entries than an int counts");
  return {L.n, {L.row_map.begin(), L.row_map.end()}, std::move(L.entries), std::move(L.values)};
}

LowerTriangle lower_pattern(int n, const std::vector<Edge>& edges) {
  Buckets buckets = bucket_by_row(n, edges);
  LowerTriangle L{n, {0}, {}, {}};
  L.row_map.reserve(static_cast<std::size_t>(n) + 1);
  L.entries.reserve(buckets.columns.size() + static_cast<std::size_t>(n));
  for (int row = 0; row < n; ++row) {
    const auto first = buckets.columns.begin() + static_cast<std::ptrdiff_t>(buckets.begin[row]);
    const auto last = buckets.columns.begin() + static_cast<std::ptrdiff_t>(buckets.begin[row + 1]);
    std::sort(first, last);
    L.entries.insert(L.entries.end(), first, std::unique(first, last));
    L.entries.push_back(row);
    L.row_map.push_back(L.entries.size());
  }
  return L;
}

void fill_values(LowerTriangle& L, unsigned seed) {
  common::Random random(seed);
  L.values.resize(L.nnz());
  for (int row = 0; row < L.n; ++row) {
    const std::size_t diagonal = L.row_map[row + 1] - 1;
    const double scale = 1.0 / static_cast<double>(diagonal - L.row_map[row] + 1);
    for (std::size_t k = L.row_map[row]; k < diagonal; ++k)
      L.values[k] = static_cast<Real>(scale * (2.0 * random.uniform() - 1.0));
    L.values[diagonal] = static_cast<Real>(1.0 + random.uniform());
  }
}

LevelCount count_levels(const LowerTriangle& L) { return count_levels_of_rows(L); }

LevelCount count_levels_of_lower_triangle(const Rows& A) { return count_levels_of_rows(A); }

LevelCount count_levels_of_transpose(const LowerTriangle& L) {
  std::vector<int> level(L.n);
  for (int row = L.n - 1; row >= 0; --row)
    for (std::size_t k = L.row_map[row]; k + 1 < L.row_map[row + 1]; ++k)
      level[L.entries[k]] = std::max(level[L.entries[k]], level[row] + 1);
  return summarize(level);
}

}  // namespace terrace::perf
