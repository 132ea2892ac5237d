// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vertices that are neighbours of a large part of a graph. No separator is small while they are there, so nested
// dissection of a graph with a few of them fills several times more than minimum degree; eliminated last they cost one
// row of L each.
#pragma once

#include "sparse/host_graph.hpp"

namespace terrace::ordering {

struct DenseRows {
  std::vector<int> vertices;  ///< set aside, in the order of their degrees
  std::vector<int> others;    ///< ascending
  sparse::HostGraph rest;     ///< the graph of the others, by their places in `others`
  std::vector<int> weights;   ///< of the others; empty where all were one
};

/// More neighbours than this are set aside, as AMD does it (Amestoy, Davis, Duff 2004).
double dense_degree(double unknowns);

/// `weights`: how many unknowns a vertex stands for; empty: one. Without dense rows `rest` stays empty, and the graph
/// itself is the rest: see `vertices`. O(edges).
DenseRows set_dense_rows_aside(const sparse::HostGraph& graph, const std::vector<int>& weights);

}  // namespace terrace::ordering
