// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One level of coarsening for separators of large graphs: neighbours are matched, heaviest edge first (Karypis and
// Kumar 1998), and each pair becomes a vertex.
//
// METIS visits the vertices of the finest graph in random order, one thread from one cache miss to the next; that took
// four fifths of the first separator of a grid of a million vertices. Here ranges of vertices are matched at the same
// time, each in its own order and within itself. The ranges follow from the size of the graph, not from the threads.
#pragma once

#include <vector>

#include "parallel/host_tasks.hpp"

namespace terrace::ordering {

struct WeightedGraph {
  std::vector<int> row_map{0}, entries;
  std::vector<int> weights;       ///< of vertices; empty: ones
  std::vector<int> edge_weights;  ///< empty: ones

  int vertices() const { return static_cast<int>(row_map.size()) - 1; }
  int weight(int vertex) const { return weights.empty() ? 1 : weights[vertex]; }
};

struct CoarseGraph {
  WeightedGraph graph;
  std::vector<int> vertex_of;  ///< of each vertex of the finer graph
};

/// Pairs weigh at most `max_weight`. Inside HostTasks::run.
CoarseGraph coarsen(const WeightedGraph& fine, double max_weight, parallel::HostTasks& tasks);

}  // namespace terrace::ordering
