// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/compressed_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace terrace::sparse {
namespace {

/// Equal for vertices with the same closed neighbourhood.
std::uint64_t neighbourhood_hash(const HostGraph& graph, int vertex) {
  const auto mix = [](std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 27);
  };
  std::uint64_t sum = mix(static_cast<std::uint64_t>(vertex) + 1);
  for (std::size_t k = graph.row_map[vertex]; k < graph.row_map[vertex + 1]; ++k)
    sum += mix(static_cast<std::uint64_t>(graph.entries[k]) + 1);
  return sum;
}

/// Whether two vertices are neighbours and share all others. Neighbours ascend.
bool are_indistinguishable(const HostGraph& graph, int a, int b) {
  if (graph.degree(a) != graph.degree(b)) return false;
  const int *x = graph.entries.data() + graph.row_map[a], *const x_end = x + graph.degree(a);
  const int* y = graph.entries.data() + graph.row_map[b];
  bool are_neighbours = false;
  for (; x < x_end; ++x) {
    if (*x == b) {
      are_neighbours = true;
      continue;
    }
    if (*y == a) ++y;
    if (*x != *y++) return false;
  }
  return are_neighbours;
}

/// leader[v]: the smallest vertex that v is indistinguishable from.
std::vector<int> find_leaders(const HostGraph& graph) {
  const int vertices = graph.vertices();
  std::vector<std::uint64_t> hash(vertices);
  for (int v = 0; v < vertices; ++v) hash[v] = neighbourhood_hash(graph, v);
  std::vector<int> leader(vertices);
  std::iota(leader.begin(), leader.end(), 0);
  for (int v = 0; v < vertices; ++v) {
    // Indistinguishable vertices are neighbours: those before v are among its own.
    for (std::size_t k = graph.row_map[v]; k < graph.row_map[v + 1] && graph.entries[k] < v; ++k) {
      const int before = graph.entries[k];
      if (leader[before] == before && hash[before] == hash[v] && are_indistinguishable(graph, before, v)) {
        leader[v] = before;
        break;
      }
    }
  }
  return leader;
}

}  // namespace

CompressedGraph compress_graph(HostGraph graph) {
  const int unknowns = graph.vertices();
  const std::vector<int> leader = find_leaders(graph);
  std::vector<int> number(unknowns, -1);  // of the merged vertex, at its leader
  CompressedGraph compressed;
  for (int v = 0; v < unknowns; ++v) {
    if (leader[v] == v) {
      number[v] = static_cast<int>(compressed.weights.size());
      compressed.weights.push_back(0);
    }
    ++compressed.weights[number[leader[v]]];
  }
  const auto vertices = static_cast<int>(compressed.weights.size());
  compressed.member_map.resize(static_cast<std::size_t>(vertices) + 1);
  std::partial_sum(compressed.weights.begin(), compressed.weights.end(), compressed.member_map.begin() + 1);
  compressed.members.resize(unknowns);
  std::vector<int> next(compressed.member_map.begin(), compressed.member_map.end() - 1);
  for (int v = 0; v < unknowns; ++v) compressed.members[next[number[leader[v]]]++] = v;
  if (vertices == unknowns) {
    compressed.graph = std::move(graph);
    return compressed;
  }
  for (int vertex = 0; vertex < vertices; ++vertex) {
    const int v = compressed.members[compressed.member_map[vertex]];
    for (std::size_t k = graph.row_map[v]; k < graph.row_map[v + 1]; ++k) {
      const int neighbour = graph.entries[k];
      if (leader[neighbour] == neighbour && number[neighbour] != vertex)
        compressed.graph.entries.push_back(number[neighbour]);
    }
    compressed.graph.row_map.push_back(compressed.graph.entries.size());
  }
  return compressed;
}

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
