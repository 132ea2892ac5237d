// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elimination tree of a symmetric pattern, and what follows from it without the pattern of L: Liu, "The role of
// elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11, 1990. On the host.
//
// The parent of column j is the row of the first entry below the diagonal in column j of L. A vertex may stand for
// several unknowns with the same neighbours, which are eliminated one after the other; its weight says for how many.
//
// Everything is a loop over arrays: a chain of a million columns is a tree as well.
#pragma once

#include <cstdint>
#include <vector>

#include "sparse/host_graph.hpp"

namespace terrace::sparse {

/// parent[j], in the order of elimination; -1 for a root. `original[j]` is the vertex of the graph that is eliminated
/// j-th, and place its inverse. O(edges log vertices) by paths that are shortened (Liu 1990, algorithm 4.2).
std::vector<int> elimination_tree(const HostGraph& graph, const std::vector<int>& original,
                                  const std::vector<int>& place);

/// The vertices of a forest, each after its children and those of a subtree consecutive: position -> vertex. Children
/// keep their order, unless `first_child`'s lists say otherwise.
std::vector<int> postorder(const std::vector<int>& parent);

/// The same with the children of each vertex (children[child_map[v]] to children[child_map[v + 1]]) in the order given.
std::vector<int> postorder(const std::vector<int>& parent, const std::vector<std::size_t>& child_map,
                           const std::vector<int>& children);

/// The children of each vertex, ascending.
void list_children(const std::vector<int>& parent, std::vector<std::size_t>& child_map, std::vector<int>& children);

/// The unknowns of each column's structure in L: its own vertex and all below it. The vertices must be numbered in a
/// postorder of the tree. Nearly O(edges): Gilbert, Ng, Peyton, "An efficient algorithm to compute row and column
/// counts for sparse Cholesky factorization", SIAM J. Matrix Anal. Appl. 15, 1994.
std::vector<std::int64_t> column_counts(const HostGraph& graph, const std::vector<int>& original,
                                        const std::vector<int>& place, const std::vector<int>& parent,
                                        const std::vector<int>& weights);

/// place[original[i]] = i.
std::vector<int> inverse_permutation(const std::vector<int>& original);

}  // namespace terrace::sparse
