// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ordering/choose_order.hpp"
#include "algorithms/ordering/orderings.hpp"

namespace terrace::ordering {

Order order_graph(Ordering ordering, const std::vector<int>& permutation, const sparse::HostGraph& graph) {
  switch (ordering) {
    case Ordering::Natural: break;
    case Ordering::ReverseCuthillMckee: return reverse_cuthill_mckee(graph);
    case Ordering::NestedDissection: return nested_dissection(graph);
    case Ordering::Multicolor: return multicolor(graph);
    case Ordering::ApproximateMinimumDegree: return minimum_degree(graph);
    case Ordering::Automatic: return {choose_order(sparse::separate_vertices(graph), ordering, {}).vertices};
    case Ordering::Given: return {permutation};
  }
  return {};
}

}  // namespace terrace::ordering
