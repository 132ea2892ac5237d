// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hangs on a graph by single edges, as trees do: eliminated from its leaves on it fills nothing.
#pragma once

#include <vector>

#include "sparse/host_graph.hpp"

namespace terrace::sparse {

struct PeeledTrees {
  std::vector<int>
      peeled;             ///< each with one neighbour at most that is not peeled before; all leaves first, then theirs
  std::vector<int> core;  ///< the others, ascending: each has two neighbours in the core at least
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

/// Among `vertices`, which ascend, numbered by their places.
inline HostGraph induced_graph(const HostGraph& graph, const std::vector<int>& vertices) {
  std::vector<int> place(static_cast<std::size_t>(graph.vertices()), -1);
  for (std::size_t i = 0; i < vertices.size(); ++i) place[vertices[i]] = static_cast<int>(i);
  HostGraph induced;
  induced.row_map.reserve(vertices.size() + 1);
  for (const int v : vertices) {
    for (std::size_t k = graph.row_map[v]; k < graph.row_map[v + 1]; ++k)
      if (const int to = place[graph.entries[k]]; to >= 0) induced.entries.push_back(to);
    induced.row_map.push_back(induced.entries.size());
  }
  return induced;
}

}  // namespace terrace::sparse
