// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph with its indistinguishable vertices merged: those with the same neighbours, themselves included, such as the
// unknowns of a node of a finite element mesh. They can be eliminated one after the other in any good order (Ashcraft,
// "Compressed graphs and the minimum degree algorithm", SIAM J. Sci. Comput. 16, 1995), so that orderings and trees
// need to see one of them alone.
#pragma once

#include <vector>

#include "sparse/host_graph.hpp"

namespace terrace::sparse {

struct CompressedGraph {
  HostGraph graph;
  std::vector<int> member_map{0};  ///< vertices + 1
  std::vector<int> members;        ///< the merged vertices of each vertex, ascending
  std::vector<int> weights;        ///< how many they are

  int unknowns() const { return static_cast<int>(members.size()); }
};

/// O(edges), but for graphs whose sums of neighbours collide.
CompressedGraph compress_graph(HostGraph graph);

/// Nothing is merged: each unknown is a vertex.
CompressedGraph separate_vertices(HostGraph graph);

/// The graph of the unknowns.
HostGraph expand_graph(const CompressedGraph& compressed);

}  // namespace terrace::sparse
