// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/order_cost.hpp"

#include "sparse/elimination_tree.hpp"

namespace terrace::sparse {

OrderedVertices in_postorder(const CompressedGraph& graph, const std::vector<int>& vertex_order) {
  const auto place = inverse_permutation(vertex_order);
  const auto parent = elimination_tree(graph.graph, vertex_order, place);
  const auto post = postorder(parent);
  const auto post_place = inverse_permutation(post);
  OrderedVertices ordered;
  ordered.original.resize(vertex_order.size());
  ordered.parent.resize(vertex_order.size());
  for (std::size_t i = 0; i < post.size(); ++i) {
    ordered.original[i] = vertex_order[post[i]];
    ordered.parent[i] = parent[post[i]] < 0 ? -1 : post_place[parent[post[i]]];
  }
  ordered.place = inverse_permutation(ordered.original);
  ordered.counts = column_counts(graph.graph, ordered.original, ordered.place, ordered.parent, graph.weights);
  return ordered;
}

/// The sum of (count - i)^2 over the columns i.
double elimination_operations(std::int64_t columns, std::int64_t count) {
  const auto square_sum = [](double m) { return m * (m + 1) * (2 * m + 1) / 6; };
  return square_sum(static_cast<double>(count)) - square_sum(static_cast<double>(count - columns));
}

OrderCost cost_of(const CompressedGraph& graph, const OrderedVertices& ordered) {
  OrderCost cost;
  for (std::size_t i = 0; i < ordered.original.size(); ++i) {
    const std::int64_t columns = graph.weights[ordered.original[i]], count = ordered.counts[i];
    cost.entries += columns * count - columns * (columns - 1) / 2;
    cost.operations += elimination_operations(columns, count);
  }
  return cost;
}

OrderCost cost_of_order(const CompressedGraph& graph, const std::vector<int>& vertex_order) {
  return cost_of(graph, in_postorder(graph, vertex_order));
}

}  // namespace terrace::sparse
