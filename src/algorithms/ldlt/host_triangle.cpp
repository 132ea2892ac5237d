// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ldlt/host_triangle.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <tuple>
#include <utility>

#include "parallel/host_ranges.hpp"

namespace terrace::ldlt {

namespace {

/// Rows that ascend repeat nothing; `last_named_by` is filled when the first one comes that does not.
template <class Offset>
bool repeats(const HostTriangleView<Offset>& triangle, int row, std::vector<int>& last_named_by) {
  const int *const begin = triangle.entries + triangle.row_map[row], *const end =
                                                                         triangle.entries + triangle.row_map[row + 1];
  if (std::is_sorted(begin, end, std::less_equal<>())) return false;
  last_named_by.resize(static_cast<std::size_t>(triangle.rows), -1);
  for (const int* column = begin; column < end; ++column)
    if (std::exchange(last_named_by[*column], row) == row) return true;
  return false;
}

}  // namespace

template <class Offset>
std::optional<std::int64_t> first_repeating_row(const HostTriangleView<Offset>& triangle, int threads) {
  int first_found = triangle.rows;
  parallel::share_loop(threads, triangle.rows, [&] {
    return [&, last_named_by = std::vector<int>()](int first, int end) mutable {
      int row = first;
      while (row < end && !repeats(triangle, row, last_named_by)) ++row;
      if (row < end) parallel::lower_shared(first_found, row);
    };
  });
  if (first_found == triangle.rows) return std::nullopt;
  return first_found;
}

// A row is empty if its vertex is not merged with others, has no neighbours and no entry on the diagonal.
template <class Offset>
TriangleFacts facts_of(const HostTriangleView<Offset>& triangle, const sparse::CompressedGraph& graph, int threads) {
  std::vector<char> has_diagonal(static_cast<std::size_t>(triangle.rows), 0);
  std::atomic<std::int64_t> entries = 0;
  parallel::for_ranges(threads, triangle.rows, [&](int first, int end) {
    std::int64_t count = 0;
    triangle.for_each_read(first, end, [&](int row, int column, std::size_t) {
      ++count;
      if (row == column) has_diagonal[row] = 1;
    });
    entries += count;
  });
  TriangleFacts facts;
  facts.entries = entries;
  const auto note = [](std::int64_t row, std::int64_t& missing, std::optional<std::int64_t>& first) {
    ++missing;
    if (!first || row < *first) first = row;
  };
  for (int row = 0; row < triangle.rows; ++row)
    if (!has_diagonal[row]) note(row, facts.missing_diagonals, facts.first_missing_diagonal);
  for (int vertex = 0; vertex < graph.graph.vertices(); ++vertex) {
    const int row = graph.members[graph.member_map[vertex]];
    if (graph.weights[vertex] == 1 && graph.graph.degree(vertex) == 0 && !has_diagonal[row])
      note(row, facts.empty_rows, facts.first_empty_row);
  }
  return facts;
}

// A vertex has its own row on one side and the rows that name it on the other; the latter come in ascending order.
template <class Offset>
WholeMatrix whole_matrix(const HostTriangleView<Offset>& triangle) {
  const int rows = triangle.rows;
  WholeMatrix whole;
  whole.row_map.assign(static_cast<std::size_t>(rows) + 1, 0);
  triangle.for_each_read([&](int row, int column, std::size_t) {
    ++whole.row_map[row + 1];
    if (row != column) ++whole.row_map[column + 1];
  });
  for (int row = 0; row < rows; ++row) whole.row_map[row + 1] += whole.row_map[row];
  std::vector<std::pair<int, std::size_t>> sorted(whole.row_map.back());
  std::vector<std::size_t> next(whole.row_map.begin(), whole.row_map.end() - 1);
  triangle.for_each_read([&](int row, int column, std::size_t k) {
    sorted[next[row]++] = {column, k};
    if (row != column) sorted[next[column]++] = {row, k};
  });
  whole.columns.resize(sorted.size());
  whole.source.resize(sorted.size());
  for (int row = 0; row < rows; ++row) {
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(whole.row_map[row]);
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(whole.row_map[row + 1]);
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
  }
  for (std::size_t k = 0; k < sorted.size(); ++k) std::tie(whole.columns[k], whole.source[k]) = sorted[k];
  return whole;
}

template <class Offset>
MirroredEntries find_mirrored(const HostTriangleView<Offset>& triangle) {
  // (row, column) as the triangle that is read has them, of entries of both triangles.
  std::vector<std::pair<std::pair<int, int>, std::size_t>> read, other;
  for (int row = 0; row < triangle.rows; ++row)
    for (Offset k = triangle.row_map[row]; k < triangle.row_map[row + 1]; ++k) {
      const int column = triangle.entries[k];
      if (row == column) continue;
      if (triangle.is_read(row, column)) read.push_back({{row, column}, static_cast<std::size_t>(k)});
      else other.push_back({{column, row}, static_cast<std::size_t>(k)});
    }
  MirroredEntries mirrored;
  if (other.empty()) return mirrored;
  std::sort(read.begin(), read.end());
  std::sort(other.begin(), other.end());
  const auto note = [&](int row) {
    if (!mirrored.first_without_partner || row < *mirrored.first_without_partner) mirrored.first_without_partner = row;
  };
  std::size_t a = 0, b = 0;
  while (a < read.size() || b < other.size()) {
    if (b == other.size() || (a < read.size() && read[a].first < other[b].first)) {
      note(read[a++].first.first);
    } else if (a == read.size() || other[b].first < read[a].first) {
      note(other[b++].first.second);  // the row where it is stored
    } else {
      mirrored.read.push_back(read[a].second);
      mirrored.row.push_back(read[a].first.first);
      mirrored.mirrored.push_back(other[b].second);
      ++a, ++b;
    }
  }
  return mirrored;
}

template std::optional<std::int64_t> first_repeating_row(const HostTriangleView<int>&, int);
template std::optional<std::int64_t> first_repeating_row(const HostTriangleView<std::size_t>&, int);
template TriangleFacts facts_of(const HostTriangleView<int>&, const sparse::CompressedGraph&, int);
template TriangleFacts facts_of(const HostTriangleView<std::size_t>&, const sparse::CompressedGraph&, int);
template WholeMatrix whole_matrix(const HostTriangleView<int>&);
template WholeMatrix whole_matrix(const HostTriangleView<std::size_t>&);
template MirroredEntries find_mirrored(const HostTriangleView<int>&);
template MirroredEntries find_mirrored(const HostTriangleView<std::size_t>&);

}  // namespace terrace::ldlt
