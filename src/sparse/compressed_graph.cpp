// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/compressed_graph.hpp"

#include <numeric>

namespace terrace::sparse {
CompressedGraph separate_vertices(HostGraph graph) {
  CompressedGraph separate;
  const auto vertices = static_cast<std::size_t>(graph.vertices());
  separate.weights.assign(vertices, 1);
  separate.members.resize(vertices);
  separate.member_map.resize(vertices + 1);
  std::iota(separate.members.begin(), separate.members.end(), 0);
  std::iota(separate.member_map.begin(), separate.member_map.end(), 0);
  separate.graph = std::move(graph);
  return separate;
}

HostGraph expand_graph(const CompressedGraph& compressed) {
  const int unknowns = compressed.unknowns();
  const auto& [graph, member_map, members, weights] = compressed;
  std::vector<int> vertex_of(unknowns);
  HostGraph expanded;
  expanded.row_map.assign(static_cast<std::size_t>(unknowns) + 1, 0);
  for (int vertex = 0; vertex < graph.vertices(); ++vertex) {
    std::size_t degree = static_cast<std::size_t>(weights[vertex] - 1);
    for (std::size_t k = graph.row_map[vertex]; k < graph.row_map[vertex + 1]; ++k)
      degree += static_cast<std::size_t>(weights[graph.entries[k]]);
    for (int m = member_map[vertex]; m < member_map[vertex + 1]; ++m) {
      vertex_of[members[m]] = vertex;
      expanded.row_map[members[m] + 1] = degree;
    }
  }
  std::partial_sum(expanded.row_map.begin(), expanded.row_map.end(), expanded.row_map.begin());
  expanded.entries.resize(expanded.row_map.back());
  std::vector<std::size_t> next(expanded.row_map.begin(), expanded.row_map.end() - 1);
  // Each unknown enters the rows of its neighbours in turn, so that they ascend.
  for (int u = 0; u < unknowns; ++u) {
    const auto enter_rows_of = [&](int vertex) {
      for (int m = member_map[vertex]; m < member_map[vertex + 1]; ++m)
        if (members[m] != u) expanded.entries[next[members[m]]++] = u;
    };
    const int vertex = vertex_of[u];
    enter_rows_of(vertex);
    for (std::size_t k = graph.row_map[vertex]; k < graph.row_map[vertex + 1]; ++k) enter_rows_of(graph.entries[k]);
  }
  return expanded;
}

}  // namespace terrace::sparse
