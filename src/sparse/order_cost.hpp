// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an order of elimination costs a symmetric factorization: the entries of L and the operations, from the counts of
// its columns, without the pattern of L. On the host.
#pragma once

#include <cstdint>
#include <vector>

#include "sparse/compressed_graph.hpp"
#include "sparse/permuted_graph.hpp"

namespace terrace::sparse {

/// An order whose elimination tree is numbered in a postorder. All by place in that order.
struct OrderedVertices {
  std::vector<int> original;  ///< vertices of the compressed graph
  PermutedGraph graph;
  std::vector<int> weights;
  std::vector<int> parent;           ///< of each place; -1 for a root
  std::vector<std::int64_t> counts;  ///< unknowns in the first column of L of each vertex
};

/// `threads` of the host take part; what they find does not depend on how many they are.
OrderedVertices in_postorder(const CompressedGraph& graph, const std::vector<int>& vertex_order, int threads = 1);

struct OrderCost {
  std::int64_t entries = 0;  ///< of L with its diagonal
  double operations = 0.0;   ///< sum of squares of the counts of columns
  std::int64_t path = 0;     ///< unknowns on the longest path of the elimination tree: so many come one after the other
};

OrderCost cost_of(const OrderedVertices& ordered);

/// Of eliminating `columns` columns one after the other, the first of which has `count` entries.
double elimination_operations(std::int64_t columns, std::int64_t count);

}  // namespace terrace::sparse
