// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of A + A^T without loops, on the host: what orderings and elimination trees look at.
#pragma once

#include <cstddef>
#include <vector>

namespace terrace::sparse {

/// Both directions of each edge, once; neighbours ascend.
struct HostGraph {
  std::vector<std::size_t> row_map{0};  ///< vertices + 1
  std::vector<int> entries;

  int vertices() const { return static_cast<int>(row_map.size()) - 1; }
  std::size_t degree(int vertex) const { return row_map[vertex + 1] - row_map[vertex]; }
};

/// Compressed rows to compressed columns; the result ascends whatever the order within the rows is.
template <class Offset>
HostGraph transposed_graph(int rows, const Offset* row_map, const int* entries) {
  HostGraph graph;
  graph.row_map.assign(static_cast<std::size_t>(rows) + 1, 0);
  graph.entries.resize(static_cast<std::size_t>(row_map[rows]));
  for (Offset k = 0; k < row_map[rows]; ++k) ++graph.row_map[entries[k] + 1];
  for (int column = 0; column < rows; ++column) graph.row_map[column + 1] += graph.row_map[column];
  std::vector<std::size_t> next(graph.row_map.begin(), graph.row_map.end() - 1);
  for (int row = 0; row < rows; ++row)
    for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) graph.entries[next[entries[k]]++] = row;
  return graph;
}

/// The rows ascend, and name no column twice.
template <class Offset>
HostGraph make_host_graph(int rows, const Offset* row_map, const int* entries) {
  const HostGraph columns = transposed_graph(rows, row_map, entries);
  HostGraph graph;
  graph.row_map.reserve(columns.row_map.size());
  graph.entries.reserve(columns.entries.size());
  for (int row = 0; row < rows; ++row) {
    const int *a = entries + row_map[row], *const a_end = entries + row_map[row + 1];
    const int *b = columns.entries.data() + columns.row_map[row], *const b_end = b + columns.degree(row);
    while (a < a_end || b < b_end) {
      const int next = b == b_end || (a < a_end && *a < *b) ? *a : *b;
      if (a < a_end && *a == next) ++a;
      if (b < b_end && *b == next) ++b;
      if (next != row) graph.entries.push_back(next);
    }
    graph.row_map.push_back(graph.entries.size());
  }
  return graph;
}

}  // namespace terrace::sparse
