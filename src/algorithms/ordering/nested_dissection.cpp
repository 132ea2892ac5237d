// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nested dissection by METIS (Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning irregular
// graphs", SIAM J. Sci. Comput. 20, 1998), after dense rows have been set aside. The seeds are fixed, so the same graph
// gets the same order.
#include <algorithm>
#include <functional>
#include <terrace/error.hpp>

#include "algorithms/ordering/dense_rows.hpp"
#include "algorithms/ordering/dissect.hpp"
#include "algorithms/ordering/orderings.hpp"

namespace terrace::ordering {

#if TERRACE_HAS_METIS

bool has_nested_dissection() { return true; }

Order nested_dissection(const sparse::HostGraph& graph, const std::vector<int>& weights, int threads) {
  const bool are_equal = std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>()) == weights.end();
  const DenseRows dense = set_dense_rows_aside(graph, weights);
  if (dense.vertices.empty()) return {dissect(graph, are_equal ? std::vector<int>() : weights, threads)};
  Order order{dissect(dense.rest, are_equal ? std::vector<int>() : dense.weights, threads)};
  for (int& vertex : order.original) vertex = dense.others[vertex];
  order.original.insert(order.original.end(), dense.vertices.begin(), dense.vertices.end());
  return order;
}

#else

bool has_nested_dissection() { return false; }

Order nested_dissection(const sparse::HostGraph&, const std::vector<int>&, int) {
  throw Error(ErrorCode::InvalidOption,
              "nested dissection needs METIS, and this Terrace was built without it (TERRACE_ENABLE_METIS=OFF; "
              "libmetis-dev on Debian and Ubuntu); choose another ordering");
}

#endif

}  // namespace terrace::ordering
