// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The orderings, each from the library that keeps it. All run on the host, in one thread, and give the same order for
// the same graph on every backend.
#pragma once

#include <terrace/ordering.hpp>

#include "algorithms/ordering/order_graph.hpp"

namespace terrace::ordering {

/// original[i]: the vertex that comes i-th.
struct Order {
  std::vector<int> original;
  int colours = 0;  ///< of a multicolour ordering, whose colours follow one another
};

/// Kokkos Kernels. Each connected part starts from a vertex of least degree, not from a pseudo-peripheral one.
Order reverse_cuthill_mckee(const OrderGraph& graph);

/// Kokkos Kernels' serial greedy colouring: a vertex takes the first colour that none of its neighbours before it has.
Order multicolour(const OrderGraph& graph);

/// METIS.
/// \throws Error InvalidOption without METIS, OutOfMemory when its indices cannot count the edges or its memory ends,
///         LibraryFailure.
Order nested_dissection(const OrderGraph& graph);

}  // namespace terrace::ordering
