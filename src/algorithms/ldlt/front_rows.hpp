// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of all fronts: symbolic factorization by fronts.
#pragma once

#include "algorithms/ldlt/front_tree.hpp"
#include "sparse/permuted_graph.hpp"

namespace terrace::ldlt {

/// The vertices in the order of the fronts, each front's in the order of elimination.
struct FrontVertices {
  std::vector<int> first_vertex{0};   ///< fronts + 1
  std::vector<int> position;          ///< of each in the graph
  std::vector<int> place;             ///< the inverse
  std::vector<int> first_unknown{0};  ///< of each place; one more
};

/// tree.rows; all else of the tree is there, and says how many they are. The graph is that of the vertices. `threads`
/// of the host take part; what they find does not depend on how many they are.
void find_rows(const sparse::PermutedGraph& graph, const FrontVertices& vertices, FrontTree& tree, int threads);

}  // namespace terrace::ldlt
