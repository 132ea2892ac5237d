// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse Cuthill-McKee by Kokkos Kernels. Its documentation promises the vertices in their order; what it returns is
// the new number of each vertex.
#include <KokkosGraph_RCM.hpp>
#include <Kokkos_Core.hpp>

#include "algorithms/ordering/orderings.hpp"

namespace terrace::ordering {

Order reverse_cuthill_mckee(const sparse::HostGraph& graph) {
  using Host = Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>;
  const Kokkos::View<const std::size_t*, Host> row_map(graph.row_map.data(), graph.row_map.size());
  const Kokkos::View<const int*, Host> entries(graph.entries.data(), graph.entries.size());
  const auto numbers = KokkosGraph::Experimental::graph_rcm<Host>(row_map, entries);
  Order order{std::vector<int>(numbers.extent(0))};
  for (int vertex = 0; vertex < graph.vertices(); ++vertex) order.original[numbers(vertex)] = vertex;
  return order;
}

}  // namespace terrace::ordering
