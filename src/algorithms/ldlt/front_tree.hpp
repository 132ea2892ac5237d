// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree of fronts of a multifrontal factorization P A P^T = L D L^T: Duff and Reid, "The multifrontal solution of
// indefinite sparse symmetric linear equations", ACM TOMS 9, 1983; Liu, "The multifrontal method for sparse matrix
// solution: theory and practice", SIAM Review 34, 1992. On the host.
//
// A front f is a dense symmetric matrix. Its rows are its own columns, which are consecutive in the order of
// elimination, and below them all rows in which those columns of L have entries:
//
//     [ F11  .  ]  own columns: assembled from A and from the children, then eliminated: the panel of L
//     [ F21 F22 ]  the contribution block, for the parent: what the children left, minus L21 D L21^T
//
// The rows of a child's contribution block are rows of its parent, and both ascend; so what a child contributes to a
// range of the parent's columns is a range of its own columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel/host_array.hpp"
#include "sparse/order_cost.hpp"

namespace terrace::ldlt {

/// Fronts are numbered in a postorder: children before their parent, subtrees consecutive. Columns and rows are
/// numbered in the order of elimination.
struct FrontTree {
  std::vector<int> original;            ///< row original[i] of A is eliminated i-th
  std::vector<int> first_column{0};     ///< fronts + 1: the own columns of front f
  std::vector<int> parent;              ///< of each front; -1 for a root
  std::vector<std::size_t> row_map{0};  ///< fronts + 1: where the rows of front f begin
  parallel::HostArray<int> rows;        ///< own columns first; ascending
  std::vector<std::size_t> child_map;   ///< fronts + 1
  std::vector<int> children;            ///< in the order in which they are numbered

  std::int64_t entries = 0;         ///< of L with its diagonal, without zeros from amalgamation
  double operations = 0.0;          ///< sum of squares of the counts of columns
  std::int64_t stored_entries = 0;  ///< of all fronts' panels, without what lies above the diagonal
  double stored_operations = 0.0;

  int fronts() const { return static_cast<int>(parent.size()); }
  int unknowns() const { return first_column.back(); }
  int columns_of(int front) const { return first_column[front + 1] - first_column[front]; }
  int rows_of(int front) const { return static_cast<int>(row_map[front + 1] - row_map[front]); }
  int contribution_rows_of(int front) const { return rows_of(front) - columns_of(front); }
  const int* rows_begin(int front) const { return rows.data() + row_map[front]; }
};

/// How eagerly a front takes in a child. A merged front is accepted when the share of zeros among its entries is at
/// most the share of the first line whose columns it does not exceed, and the child's columns do not become zeros for
/// the most part, unless they take few operations all the same.
struct Amalgamation {
  struct Line {
    int columns;
    double zeros;
  };
  std::vector<Line> lines;

  /// Where a level has no more than few_fronts, its fronts also take in all children with the highest subtrees, of
  /// whatever zeros, if they have no more than so many rows then: for devices, whose time for a path of the tree is
  /// that of its fronts, not of their zeros.
  int rows_of_short_paths = 0;
  static constexpr int few_fronts = 1024;
};

/// Who factorizes.
enum class FrontUser { Host, Device };

/// The tuned table with its shares of zeros times `factor`; 0: only what adds no zeros.
Amalgamation tuned_amalgamation(double factor, FrontUser user = FrontUser::Host);

/// A tree of groups of columns before their rows are known.
struct ColumnGroups {
  std::vector<int> group_of;          ///< of each vertex, by its place in the postordered elimination
  std::vector<int> parent;            ///< of each group; parents have larger numbers
  std::vector<std::int64_t> columns;  ///< unknowns
  std::vector<std::int64_t> rows;     ///< unknowns, own columns included
  std::vector<std::int64_t> entries;  ///< without zeros
};

/// Groups of columns that follow one another and share their structure (fundamental supernodes: Liu, Ng, Peyton 1993),
/// and then children taken in by their parents (relaxed supernodes: Ashcraft and Grimes, "The influence of relaxed
/// supernode partitions on the multifrontal method", ACM TOMS 15, 1989).
ColumnGroups group_columns(const std::vector<int>& parent, const std::vector<std::int64_t>& counts,
                           const std::vector<int>& weights_in_order, const Amalgamation& amalgamation);

/// All of it, from the vertices of a compressed graph in the order of their elimination. `threads` of the host take
/// part; what they find does not depend on how many they are.
FrontTree build_fronts(const sparse::CompressedGraph& graph, const sparse::OrderedVertices& ordered,
                       const Amalgamation& amalgamation, int threads = 1);

/// The same from an order that is no postorder yet.
inline FrontTree build_fronts(const sparse::CompressedGraph& graph, const std::vector<int>& vertex_order,
                              const Amalgamation& amalgamation, int threads = 1) {
  return build_fronts(graph, sparse::in_postorder(graph, vertex_order, threads), amalgamation, threads);
}

/// Of each row of each front: its place among the parent's; -1 for own columns and roots. `threads` as above.
parallel::HostArray<int> find_places_in_parents(const FrontTree& tree, int threads);

/// The same tree, with fronts without own columns between a front and its children where those are very many.
FrontTree sum_children(FrontTree tree);

}  // namespace terrace::ldlt
