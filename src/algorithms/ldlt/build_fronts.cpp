// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an order of elimination to fronts with their rows.
#include <algorithm>
#include <numeric>

#include "algorithms/ldlt/front_rows.hpp"
#include "algorithms/ldlt/sort_few.hpp"
#include "sparse/elimination_tree.hpp"
#include "sparse/order_cost.hpp"

namespace terrace::ldlt {
namespace {

/// The children of each group in the order that keeps the stack of contribution blocks small: those first whose
/// subtrees need most beyond what they leave (Liu, "On the storage requirement in the out-of-core multifrontal method
/// for sparse factorization", ACM TOMS 12, 1986).
std::vector<int> order_groups(const ColumnGroups& groups) {
  const auto count = static_cast<int>(groups.parent.size());
  std::vector<std::size_t> child_map;
  std::vector<int> children;
  sparse::list_children(groups.parent, child_map, children);
  std::vector<double> peak(count), left(count);
  for (int g = 0; g < count; ++g) {
    const auto rows = static_cast<double>(groups.rows[g]), below = rows - static_cast<double>(groups.columns[g]);
    left[g] = below * below;
    auto* const begin = children.data() + child_map[g];
    auto* const end = children.data() + child_map[g + 1];
    sort_few(begin, end, [&](int a, int b) { return peak[a] - left[a] > peak[b] - left[b]; });
    double stack = 0;
    for (const int* child = begin; child < end; ++child) {
      peak[g] = std::max(peak[g], stack + peak[*child]);
      stack += left[*child];
    }
    peak[g] = std::max(peak[g], stack + rows * rows);
  }
  return sparse::postorder(groups.parent, child_map, children);
}

FrontVertices place_vertices(const sparse::OrderedVertices& ordered, const ColumnGroups& groups,
                             const std::vector<int>& front_of_group) {
  FrontVertices vertices;
  vertices.first_vertex.assign(groups.parent.size() + 1, 0);
  for (const int group : groups.group_of) ++vertices.first_vertex[front_of_group[group] + 1];
  std::partial_sum(vertices.first_vertex.begin(), vertices.first_vertex.end(), vertices.first_vertex.begin());
  std::vector<int> next(vertices.first_vertex.begin(), vertices.first_vertex.end() - 1);
  const auto count = static_cast<int>(ordered.original.size());
  vertices.position.resize(ordered.original.size());
  vertices.place.resize(ordered.original.size());
  for (int i = 0; i < count; ++i) {
    vertices.place[i] = next[front_of_group[groups.group_of[i]]]++;
    vertices.position[vertices.place[i]] = i;
  }
  vertices.first_unknown.resize(ordered.original.size() + 1);
  for (int i = 0; i < count; ++i)
    vertices.first_unknown[i + 1] = vertices.first_unknown[i] + ordered.weights[vertices.position[i]];
  return vertices;
}

void list_unknowns(const sparse::CompressedGraph& graph, const sparse::OrderedVertices& ordered,
                   const FrontVertices& vertices, std::vector<int>& original) {
  original.resize(graph.members.size());
  auto next = original.begin();
  for (const int i : vertices.position) {
    const int v = ordered.original[i];
    next =
        std::copy(graph.members.begin() + graph.member_map[v], graph.members.begin() + graph.member_map[v + 1], next);
  }
}

void count_stored(FrontTree& tree) {
  for (int front = 0; front < tree.fronts(); ++front) {
    const std::int64_t columns = tree.columns_of(front), rows = tree.rows_of(front);
    tree.stored_entries += columns * rows - columns * (columns - 1) / 2;
    tree.stored_operations += sparse::elimination_operations(columns, rows);
  }
}

}  // namespace

FrontTree build_fronts(const sparse::CompressedGraph& graph, const sparse::OrderedVertices& ordered,
                       const Amalgamation& amalgamation, int threads) {
  const auto groups = group_columns(ordered.parent, ordered.counts, ordered.weights, amalgamation);
  const auto group_of_front = order_groups(groups);
  const auto front_of_group = sparse::inverse_permutation(group_of_front);
  const auto vertices = place_vertices(ordered, groups, front_of_group);

  FrontTree tree;
  const sparse::OrderCost cost = sparse::cost_of(ordered);
  tree.entries = cost.entries;
  tree.operations = cost.operations;
  list_unknowns(graph, ordered, vertices, tree.original);
  for (std::size_t front = 0; front < group_of_front.size(); ++front) {
    const int group = group_of_front[front];
    tree.first_column.push_back(vertices.first_unknown[vertices.first_vertex[front + 1]]);
    tree.parent.push_back(groups.parent[group] < 0 ? -1 : front_of_group[groups.parent[group]]);
    tree.row_map.push_back(tree.row_map.back() + static_cast<std::size_t>(groups.rows[group]));
  }
  sparse::list_children(tree.parent, tree.child_map, tree.children);
  find_rows(ordered.graph, vertices, tree, threads);
  count_stored(tree);
  return tree;
}

}  // namespace terrace::ldlt
