// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The orderings, each from the library that keeps it. All run on the host, nested dissection in several threads and the
// others in one, and give the same order for the same graph on every backend.
#pragma once

#include <terrace/ordering.hpp>

#include "sparse/host_graph.hpp"

namespace terrace::ordering {

/// original[i]: the vertex that comes i-th.
struct Order {
  std::vector<int> original;
  int colors = 0;  ///< of a multicolor ordering, whose colors follow one another
};

/// Kokkos Kernels. Each connected part starts from a vertex of least degree, not from a pseudo-peripheral one.
Order reverse_cuthill_mckee(const sparse::HostGraph& graph);

/// Kokkos Kernels' serial greedy coloring: a vertex takes the first color that none of its neighbours before it has.
Order multicolor(const sparse::HostGraph& graph);

/// METIS, with rows of very high degree set aside for the end. `weights`: how many unknowns each vertex stands for;
/// empty: one. Up to `threads` of the host take part; the order does not depend on how many do.
/// \throws Error InvalidOption without METIS, OutOfMemory when its indices cannot count the edges or its memory ends,
///         LibraryFailure.
Order nested_dissection(const sparse::HostGraph& graph, const std::vector<int>& weights = {}, int threads = 1);

/// AMD, which sets rows of very high degree aside too.
/// \throws Error InvalidOption without AMD, OutOfMemory, LibraryFailure.
Order minimum_degree(const sparse::HostGraph& graph);

/// Whether this Terrace was built with METIS, and with AMD.
bool has_nested_dissection();
bool has_minimum_degree();

/// Any of them, for a factorization of rows that stand for themselves. Natural: an empty order. `permutation` is the
/// caller's for Ordering::Given, and checked.
Order order_graph(Ordering ordering, const std::vector<int>& permutation, const sparse::HostGraph& graph);

}  // namespace terrace::ordering
