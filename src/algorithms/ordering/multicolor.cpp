// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A multicolor ordering: the vertices by color, those of one color as they were numbered.
//
// The colors are those of greedy coloring in the natural order, so a vertex has neighbours of all colors before its
// own: the factors without fill have exactly as many levels as there are colors. Kokkos Kernels has it as
// COLORING_SERIAL; docs/adr/0015-orderings.md says what speaks against its parallel colorings.
#include <KokkosGraph_Distance1Color.hpp>
#include <algorithm>

#include "algorithms/ordering/orderings.hpp"

namespace terrace::ordering {
namespace {

/// From 1.
std::vector<int> colors_of(const sparse::HostGraph& graph) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<std::size_t, int, double, Host, Kokkos::HostSpace,
                                                                  Kokkos::HostSpace>;
  const Kokkos::View<const std::size_t*, Host> row_map(graph.row_map.data(), graph.row_map.size());
  const Kokkos::View<const int*, Host> entries(graph.entries.data(), graph.entries.size());
  Handle handle;
  handle.create_graph_coloring_handle(KokkosGraph::COLORING_SERIAL);
  KokkosGraph::Experimental::graph_color(&handle, graph.vertices(), graph.vertices(), row_map, entries);
  const auto colors = handle.get_graph_coloring_handle()->get_vertex_colors();
  std::vector<int> result(colors.data(), colors.data() + graph.vertices());
  handle.destroy_graph_coloring_handle();
  return result;
}

}  // namespace

Order multicolor(const sparse::HostGraph& graph) {
  const std::vector<int> color = colors_of(graph);
  Order order;
  for (const int each : color) order.colors = std::max(order.colors, each);
  std::vector<int> first(static_cast<std::size_t>(order.colors) + 1, 0);  // place of each color, counted from 1
  for (const int each : color) ++first[each];
  for (int k = 1; k <= order.colors; ++k) first[k] += first[k - 1];
  order.original.resize(color.size());
  for (int vertex = 0; vertex < graph.vertices(); ++vertex) order.original[first[color[vertex] - 1]++] = vertex;
  return order;
}

}  // namespace terrace::ordering
