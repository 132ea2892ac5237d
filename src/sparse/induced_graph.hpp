// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph that is left when some vertices are taken out.
#pragma once

#include <vector>

#include "sparse/host_graph.hpp"

namespace terrace::sparse {

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
