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

#include "sparse/permuted_graph.hpp"

namespace terrace::sparse {

/// parent[j]; -1 for a root. Vertices are eliminated as they are numbered. O(edges log vertices) by paths that are
/// shortened (Liu 1990, algorithm 4.2).
std::vector<int> elimination_tree(const PermutedGraph& graph);

/// Where each vertex of a forest comes when each follows its children, which keep their order, and those of a subtree
/// are consecutive. Parents have larger numbers.
std::vector<int> postorder_places(const std::vector<int>& parent);

/// The vertices of a forest in such an order, with the children of each vertex (children[child_map[v]] to
/// children[child_map[v + 1]]) in the order given: position -> vertex.
std::vector<int> postorder(const std::vector<int>& parent, const std::vector<std::size_t>& child_map,
                           const std::vector<int>& children);

/// The children of each vertex, ascending.
void list_children(const std::vector<int>& parent, std::vector<std::size_t>& child_map, std::vector<int>& children);

/// The unknowns of each column's structure in L: its own vertex and all below it. The vertices must be numbered in a
/// postorder of the tree. Nearly O(edges): Gilbert, Ng, Peyton, "An efficient algorithm to compute row and column
/// counts for sparse Cholesky factorization", SIAM J. Matrix Anal. Appl. 15, 1994.
std::vector<std::int64_t> column_counts(const PermutedGraph& graph, const std::vector<int>& parent,
                                        const std::vector<int>& weights);

/// place[original[i]] = i.
std::vector<int> inverse_permutation(const std::vector<int>& original);

}  // namespace terrace::sparse
