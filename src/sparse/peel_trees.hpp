// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hangs on a graph by single edges, as trees do: eliminated from its leaves on it fills nothing.
#pragma once

#include <vector>

#include "sparse/host_graph.hpp"

namespace terrace::sparse {

struct PeeledTrees {
  /// Each has one neighbour at most that is not peeled before it; all leaves come first, then theirs.
  std::vector<int> peeled;
  /// The others, ascending: each has two neighbours in the core at least.
  std::vector<int> core;
};

/// Vertices with no neighbours are trees, too. O(vertices + edges of what is peeled).
inline PeeledTrees peel_trees(const HostGraph& graph) {
  const int vertices = graph.vertices();
  PeeledTrees trees;
  std::vector<int> neighbours(static_cast<std::size_t>(vertices));  // that are left; -1: peeled
  for (int v = 0; v < vertices; ++v) {
    neighbours[v] = static_cast<int>(graph.degree(v));
    if (neighbours[v] <= 1) trees.peeled.push_back(v);
  }
  for (std::size_t next = 0; next < trees.peeled.size(); ++next) {
    const int v = trees.peeled[next];
    neighbours[v] = -1;
    for (std::size_t k = graph.row_map[v]; k < graph.row_map[v + 1]; ++k)
      if (int& left = neighbours[graph.entries[k]]; left > 0 && --left == 1) trees.peeled.push_back(graph.entries[k]);
  }
  for (int v = 0; v < vertices; ++v)
    if (neighbours[v] > 0) trees.core.push_back(v);
  return trees;
}

}  // namespace terrace::sparse
