// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/order_cost.hpp"

#include <algorithm>

#include "parallel/host_ranges.hpp"
#include "sparse/elimination_tree.hpp"

namespace terrace::sparse {

OrderedVertices in_postorder(const CompressedGraph& graph, const std::vector<int>& vertex_order, int threads) {
  const auto permuted = permuted_graph(graph.graph, vertex_order, inverse_permutation(vertex_order), threads);
  const auto parent = elimination_tree(permuted);
  const auto place = postorder_places(parent);
  const auto post = inverse_permutation(place);
  OrderedVertices ordered;
  ordered.graph = permuted_graph(permuted, post, place, threads);
  ordered.original.resize(post.size());
  ordered.weights.resize(post.size());
  ordered.parent.resize(post.size());
  parallel::for_ranges(threads, graph.graph.vertices(), [&](int first, int end) {
    for (int i = first; i < end; ++i) {
      const int above = parent[post[i]];
      ordered.original[i] = vertex_order[post[i]];
      ordered.weights[i] = graph.weights[ordered.original[i]];
      ordered.parent[i] = above < 0 ? -1 : place[above];
    }
  });
  ordered.counts = column_counts(ordered.graph, ordered.parent, ordered.weights);
  return ordered;
}

/// The sum of (count - i)^2 over the columns i.
double elimination_operations(std::int64_t columns, std::int64_t count) {
  const auto square_sum = [](double m) { return m * (m + 1) * (2 * m + 1) / 6; };
  return square_sum(static_cast<double>(count)) - square_sum(static_cast<double>(count - columns));
}

OrderCost cost_of(const OrderedVertices& ordered) {
  OrderCost cost;
  std::vector<std::int64_t> path(ordered.original.size(), 0);  // below each vertex
  for (std::size_t i = 0; i < ordered.original.size(); ++i) {
    const std::int64_t columns = ordered.weights[i], count = ordered.counts[i];
    const std::int64_t through = path[i] + columns;
    cost.path = std::max(cost.path, through);
    if (const int above = ordered.parent[i]; above >= 0) path[above] = std::max(path[above], through);
    cost.entries += columns * count - columns * (columns - 1) / 2;
    cost.operations += elimination_operations(columns, count);
  }
  return cost;
}

}  // namespace terrace::sparse
