// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph with its indistinguishable vertices merged: those with the same neighbours, themselves included, such as the
// unknowns of a node of a finite element mesh. They can be eliminated one after the other in any good order (Ashcraft,
// "Compressed graphs and the minimum degree algorithm", SIAM J. Sci. Comput. 16, 1995), so that orderings and trees
// need to see one of them alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sparse/host_triangle_view.hpp"

namespace terrace::sparse {

struct CompressedGraph {
  HostGraph graph;
  std::vector<int> member_map{0};  ///< vertices + 1
  std::vector<int> members;        ///< the merged vertices of each vertex, ascending
  std::vector<int> weights;        ///< how many they are

  int unknowns() const { return static_cast<int>(members.size()); }
};

/// Neighbours that have the same key merged; nothing where there are none, or where some are not indistinguishable.
/// O(entries). `threads` of the host take part; what they find does not depend on how many they are. For offsets int
/// and std::size_t.
template <class Offset>
std::optional<CompressedGraph> merge_vertices(const HostTriangleView<Offset>& triangle,
                                              const std::vector<std::uint64_t>& key, int threads = 1);

/// All indistinguishable vertices merged, by keys that are sums over their neighbourhoods.
template <class Offset>
CompressedGraph compress_graph(const HostTriangleView<Offset>& triangle, int threads = 1);

inline CompressedGraph compress_graph(const HostGraph& graph) { return compress_graph(triangle_of(graph)); }

/// Nothing is merged: each unknown is a vertex.
CompressedGraph separate_vertices(HostGraph graph);

/// The graph of the unknowns.
HostGraph expand_graph(const CompressedGraph& compressed);

}  // namespace terrace::sparse
