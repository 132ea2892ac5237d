// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ldlt/host_triangle.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace terrace::ldlt {

template <class Offset>
std::optional<std::int64_t> first_repeating_row(const HostTriangle<Offset>& triangle) {
  std::vector<int> last_named_by(triangle.rows(), -1);
  for (int row = 0; row < triangle.rows(); ++row)
    for (Offset k = triangle.row_map[row]; k < triangle.row_map[row + 1]; ++k) {
      int& last = last_named_by[triangle.entries[k]];
      if (last == row) return row;
      last = row;
    }
  return std::nullopt;
}

template <class Offset>
TriangleFacts facts_of(const HostTriangle<Offset>& triangle) {
  std::vector<char> has_entry(triangle.rows(), 0), has_diagonal(triangle.rows(), 0);
  TriangleFacts facts;
  triangle.for_each_read([&](int row, int column, std::size_t) {
    ++facts.entries;
    has_entry[row] = has_entry[column] = 1;
    if (row == column) has_diagonal[row] = 1;
  });
  const auto count = [](const std::vector<char>& has, std::int64_t& missing, std::optional<std::int64_t>& first) {
    for (std::size_t row = 0; row < has.size(); ++row) {
      if (has[row]) continue;
      ++missing;
      if (!first) first = static_cast<std::int64_t>(row);
    }
  };
  count(has_entry, facts.empty_rows, facts.first_empty_row);
  count(has_diagonal, facts.missing_diagonals, facts.first_missing_diagonal);
  return facts;
}

// A vertex has its own row on one side and the rows that name it on the other; the latter come in ascending order.
template <class Offset>
WholeMatrix whole_matrix(const HostTriangle<Offset>& triangle) {
  const int rows = triangle.rows();
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
sparse::HostGraph graph_of(const HostTriangle<Offset>& triangle) {
  const int rows = triangle.rows();
  sparse::HostGraph graph;
  graph.row_map.assign(static_cast<std::size_t>(rows) + 1, 0);
  triangle.for_each_read([&](int row, int column, std::size_t) {
    if (row == column) return;
    ++graph.row_map[row + 1];
    ++graph.row_map[column + 1];
  });
  for (int row = 0; row < rows; ++row) graph.row_map[row + 1] += graph.row_map[row];
  graph.entries.resize(graph.row_map.back());
  std::vector<std::size_t> next(graph.row_map.begin(), graph.row_map.end() - 1);
  triangle.for_each_read([&](int row, int column, std::size_t) {
    if (row == column) return;
    graph.entries[next[row]++] = column;
    graph.entries[next[column]++] = row;
  });
  for (int row = 0; row < rows; ++row) {
    const auto begin = graph.entries.begin() + static_cast<std::ptrdiff_t>(graph.row_map[row]);
    const auto end = graph.entries.begin() + static_cast<std::ptrdiff_t>(graph.row_map[row + 1]);
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
  }
  return graph;
}

template <class Offset>
MirroredEntries find_mirrored(const HostTriangle<Offset>& triangle) {
  // (row, column) as the triangle that is read has them, of entries of both triangles.
  std::vector<std::pair<std::pair<int, int>, std::size_t>> read, other;
  for (int row = 0; row < triangle.rows(); ++row)
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

template std::optional<std::int64_t> first_repeating_row(const HostTriangle<int>&);
template std::optional<std::int64_t> first_repeating_row(const HostTriangle<std::size_t>&);
template TriangleFacts facts_of(const HostTriangle<int>&);
template TriangleFacts facts_of(const HostTriangle<std::size_t>&);
template sparse::HostGraph graph_of(const HostTriangle<int>&);
template sparse::HostGraph graph_of(const HostTriangle<std::size_t>&);
template WholeMatrix whole_matrix(const HostTriangle<int>&);
template WholeMatrix whole_matrix(const HostTriangle<std::size_t>&);
template MirroredEntries find_mirrored(const HostTriangle<int>&);
template MirroredEntries find_mirrored(const HostTriangle<std::size_t>&);

}  // namespace terrace::ldlt
