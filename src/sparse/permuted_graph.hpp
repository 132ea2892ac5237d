// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph whose vertices are numbered in the order of their elimination: walks along the order are walks along memory.
#pragma once

#include "parallel/host_array.hpp"
#include "sparse/host_graph.hpp"

namespace terrace::sparse {

/// Both directions of each edge; neighbours in no order.
struct PermutedGraph {
  std::vector<std::size_t> row_map{0};  ///< vertices + 1
  parallel::HostArray<int> entries;

  int vertices() const { return static_cast<int>(row_map.size()) - 1; }
  std::size_t degree(int vertex) const { return row_map[vertex + 1] - row_map[vertex]; }
};

/// Vertex i is the graph's original[i]; place is the inverse. `threads` of the host take part. For HostGraph and
/// PermutedGraph.
template <class Graph>
PermutedGraph permuted_graph(const Graph& graph, const std::vector<int>& original, const std::vector<int>& place,
                             int threads = 1);

}  // namespace terrace::sparse
