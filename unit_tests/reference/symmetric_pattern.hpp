// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symmetric patterns as sets of neighbours, and the pattern of L by elimination: for matrices of a few rows.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sparse/compressed_graph.hpp"

namespace terrace::reference {

using Neighbours = std::vector<std::set<int>>;
using Random = std::mt19937;

inline int below(Random& random, int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); }

inline void connect(Neighbours& neighbours, int a, int b) {
  if (a == b) return;
  neighbours[a].insert(b);
  neighbours[b].insert(a);
}

/// The five-point stencil of a grid, with several unknowns at each node.
/// Rows that name all `width` rows before and behind them.
inline Neighbours band_pattern(int rows, int width) {
  Neighbours neighbours(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row)
    for (int other = std::max(0, row - width); other < row; ++other) connect(neighbours, row, other);
  return neighbours;
}

inline Neighbours grid(int width, int height, int unknowns_per_node = 1) {
  Neighbours neighbours(static_cast<std::size_t>(width * height * unknowns_per_node));
  const auto join = [&](int a, int b) {
    for (int i = 0; i < unknowns_per_node; ++i)
      for (int k = 0; k < unknowns_per_node; ++k)
        connect(neighbours, a * unknowns_per_node + i, b * unknowns_per_node + k);
  };
  for (int node = 0; node < width * height; ++node) {
    join(node, node);
    if (node % width > 0) join(node, node - 1);
    if (node >= width) join(node, node - width);
  }
  return neighbours;
}

inline sparse::HostGraph host_graph(const Neighbours& neighbours) {
  sparse::HostGraph graph;
  for (const auto& row : neighbours) {
    graph.entries.insert(graph.entries.end(), row.begin(), row.end());
    graph.row_map.push_back(graph.entries.size());
  }
  return graph;
}

inline Neighbours random_pattern(Random& random, int vertices, int edges) {
  Neighbours neighbours(static_cast<std::size_t>(vertices));
  for (int k = 0; k < edges; ++k) connect(neighbours, below(random, vertices), below(random, vertices));
  return neighbours;
}

/// Each vertex of a random pattern up to `copies` times, under shuffled numbers: with unknowns that can be merged.
inline Neighbours random_pattern_with_copies(Random& random, int vertices, int edges, int copies) {
  const Neighbours nodes = random_pattern(random, vertices, edges);
  std::vector<int> node_of;
  for (int node = 0; node < vertices; ++node)
    node_of.insert(node_of.end(), static_cast<std::size_t>(1 + below(random, copies)), node);
  std::shuffle(node_of.begin(), node_of.end(), random);
  Neighbours neighbours(node_of.size());
  for (int a = 0; a < static_cast<int>(node_of.size()); ++a)
    for (int b = 0; b < a; ++b)
      if (node_of[a] == node_of[b] || nodes[node_of[a]].count(node_of[b]) > 0) connect(neighbours, a, b);
  return neighbours;
}

/// 0 to count - 1.
inline std::vector<int> natural_order(std::size_t count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

inline std::vector<int> random_order(Random& random, int count) {
  std::vector<int> order = natural_order(static_cast<std::size_t>(count));
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// Column j: the rows below the diagonal, where vertex original[j] is eliminated j-th.
inline Neighbours pattern_of_l(const Neighbours& neighbours, const std::vector<int>& original) {
  std::vector<int> place(original.size());
  for (std::size_t j = 0; j < original.size(); ++j) place[original[j]] = static_cast<int>(j);
  Neighbours below_diagonal(neighbours.size());
  for (std::size_t j = 0; j < original.size(); ++j)
    for (const int neighbour : neighbours[original[j]])
      if (place[neighbour] > static_cast<int>(j)) below_diagonal[j].insert(place[neighbour]);
  for (auto& column : below_diagonal) {
    if (column.empty()) continue;
    const int parent = *column.begin();  // elimination joins all rows of a column; the parent hands them on
    for (const int row : column)
      if (row != parent) below_diagonal[parent].insert(row);
  }
  return below_diagonal;
}

inline std::vector<int> parents_of(const Neighbours& l) {
  std::vector<int> parent;
  for (const auto& column : l) parent.push_back(column.empty() ? -1 : *column.begin());
  return parent;
}

/// Sizes 0, 1, 2 and the shapes that trees have at their extremes.
inline std::map<std::string, Neighbours> extreme_patterns() {
  std::map<std::string, Neighbours> all{{"empty", {}}, {"one row", Neighbours(1)}, {"two rows", Neighbours(2)}};
  all["pair"] = {{1}, {0}};
  const int size = 70;  // more than a block column of a contribution block
  for (const char* name : {"chain", "star", "star, its center first", "arrow", "dense", "forest", "diagonal"})
    all[name] = Neighbours(size);
  for (int v = 0; v < size; ++v) {
    if (v > 0) connect(all["chain"], v - 1, v);
    connect(all["star"], v, size - 1);
    connect(all["star, its center first"], v, 0);
    for (const int dense : {size - 1, size - 2, size - 3}) connect(all["arrow"], v, dense);
    if (v > 0) connect(all["arrow"], v - 1, v);
    for (int w = 0; w < v; ++w) connect(all["dense"], v, w);
    if (v % 7 != 0) connect(all["forest"], v, (v / 7) * 7 + (v % 7) / 2);
  }
  return all;
}

}  // namespace terrace::reference
