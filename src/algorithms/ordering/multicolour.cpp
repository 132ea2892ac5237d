// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A multicolour ordering: the vertices by colour, those of one colour as they were numbered.
//
// The colours are those of greedy colouring in the natural order, so a vertex has neighbours of all colours before its
// own: the factors without fill have exactly as many levels as there are colours. Kokkos Kernels has it as
// COLORING_SERIAL; docs/adr/0015-orderings.md says what speaks against its parallel colourings.
#include <KokkosGraph_Distance1Color.hpp>
#include <algorithm>

#include "algorithms/ordering/orderings.hpp"

namespace terrace::ordering {
namespace {

/// From 1.
std::vector<int> colours_of(const OrderGraph& graph) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<std::size_t, int, double, Host, Kokkos::HostSpace,
                                                                  Kokkos::HostSpace>;
  const Kokkos::View<const std::size_t*, Host> line_map(graph.line_map.data(), graph.line_map.size());
  const Kokkos::View<const int*, Host> entries(graph.entries.data(), graph.entries.size());
  Handle handle;
  handle.create_graph_coloring_handle(KokkosGraph::COLORING_SERIAL);
  KokkosGraph::Experimental::graph_color(&handle, graph.vertices(), graph.vertices(), line_map, entries);
  const auto colours = handle.get_graph_coloring_handle()->get_vertex_colors();
  std::vector<int> result(colours.data(), colours.data() + graph.vertices());
  handle.destroy_graph_coloring_handle();
  return result;
}

}  // namespace

Order multicolour(const OrderGraph& graph) {
  const std::vector<int> colour = colours_of(graph);
  Order order;
  for (const int each : colour) order.colours = std::max(order.colours, each);
  std::vector<int> first(static_cast<std::size_t>(order.colours) + 1, 0);  // place of each colour, counted from 1
  for (const int each : colour) ++first[each];
  for (int k = 1; k <= order.colours; ++k) first[k] += first[k - 1];
  order.original.resize(colour.size());
  for (int vertex = 0; vertex < graph.vertices(); ++vertex) order.original[first[colour[vertex] - 1]++] = vertex;
  return order;
}

}  // namespace terrace::ordering
