// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an order of elimination to fronts with their rows.
#include <algorithm>
#include <numeric>

#include "algorithms/ldlt/front_tree.hpp"
#include "sparse/elimination_tree.hpp"
#include "sparse/order_cost.hpp"

namespace terrace::ldlt {
namespace {

std::vector<int> weights_of(const sparse::CompressedGraph& graph, const sparse::OrderedVertices& ordered) {
  std::vector<int> weights(ordered.original.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = graph.weights[ordered.original[i]];
  return weights;
}

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
    std::stable_sort(begin, end, [&](int a, int b) { return peak[a] - left[a] > peak[b] - left[b]; });
    double stack = 0;
    for (const int* child = begin; child < end; ++child) {
      peak[g] = std::max(peak[g], stack + peak[*child]);
      stack += left[*child];
    }
    peak[g] = std::max(peak[g], stack + rows * rows);
  }
  return sparse::postorder(groups.parent, child_map, children);
}

/// The vertices in the order of the fronts, each front's in the order of elimination.
struct FrontVertices {
  std::vector<int> first_vertex{0};  // fronts + 1
  std::vector<int> original;         // of the compressed graph
  std::vector<int> place;
  std::vector<int> first_unknown{0};  // of each place; one more
};

FrontVertices place_vertices(const sparse::CompressedGraph& graph, const sparse::OrderedVertices& ordered,
                             const ColumnGroups& groups, const std::vector<int>& front_of_group) {
  FrontVertices vertices;
  vertices.first_vertex.assign(groups.parent.size() + 1, 0);
  for (const int group : groups.group_of) ++vertices.first_vertex[front_of_group[group] + 1];
  std::partial_sum(vertices.first_vertex.begin(), vertices.first_vertex.end(), vertices.first_vertex.begin());
  std::vector<int> next(vertices.first_vertex.begin(), vertices.first_vertex.end() - 1);
  vertices.original.resize(ordered.original.size());
  for (std::size_t i = 0; i < ordered.original.size(); ++i)
    vertices.original[next[front_of_group[groups.group_of[i]]]++] = ordered.original[i];
  vertices.place = sparse::inverse_permutation(vertices.original);
  for (const int v : vertices.original)
    vertices.first_unknown.push_back(vertices.first_unknown.back() + graph.weights[v]);
  return vertices;
}

/// The rows of all fronts, as vertices: neighbours of own columns and rows of children, behind the own columns.
class RowsOfFronts {
 public:
  RowsOfFronts(const sparse::HostGraph& graph, const FrontVertices& vertices)
      : graph_(graph), vertices_(vertices), last_seen_by_(vertices.original.size(), -1) {}

  /// Fronts in ascending order; children must have been found.
  void find(const FrontTree& tree, int front) {
    front_ = front;
    begin_ = rows_.size();
    for (int i = vertices_.first_vertex[front]; i < vertices_.first_vertex[front + 1]; ++i) {
      const int vertex = vertices_.original[i];
      for (std::size_t k = graph_.row_map[vertex]; k < graph_.row_map[vertex + 1]; ++k)
        add(vertices_.place[graph_.entries[k]]);
    }
    for (std::size_t c = tree.child_map[front]; c < tree.child_map[front + 1]; ++c)
      for (std::size_t k = map_[tree.children[c]]; k < map_[tree.children[c] + 1]; ++k) add(rows_[k]);
    std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(begin_), rows_.end());
    map_.push_back(rows_.size());
  }

  const int* begin(int front) const { return rows_.data() + map_[front]; }
  const int* end(int front) const { return rows_.data() + map_[front + 1]; }

 private:
  void add(int place) {
    if (place < vertices_.first_vertex[front_ + 1] || last_seen_by_[place] == front_) return;
    last_seen_by_[place] = front_;
    rows_.push_back(place);
  }

  const sparse::HostGraph& graph_;
  const FrontVertices& vertices_;
  std::vector<int> last_seen_by_;
  std::vector<std::size_t> map_{0};
  std::vector<int> rows_;
  int front_ = 0;
  std::size_t begin_ = 0;
};

void append_unknowns(const FrontVertices& vertices, int vertex, std::vector<int>& rows) {
  for (int u = vertices.first_unknown[vertex]; u < vertices.first_unknown[vertex + 1]; ++u) rows.push_back(u);
}

void fill_rows(const sparse::CompressedGraph& graph, const FrontVertices& vertices, FrontTree& tree) {
  RowsOfFronts below(graph.graph, vertices);
  for (int front = 0; front < tree.fronts(); ++front) {
    below.find(tree, front);
    for (int i = vertices.first_vertex[front]; i < vertices.first_vertex[front + 1]; ++i)
      append_unknowns(vertices, i, tree.rows);
    for (const int* i = below.begin(front); i < below.end(front); ++i) append_unknowns(vertices, *i, tree.rows);
    tree.row_map.push_back(tree.rows.size());
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

FrontTree build_fronts(const sparse::CompressedGraph& graph, const std::vector<int>& vertex_order,
                       const Amalgamation& amalgamation) {
  const auto ordered = sparse::in_postorder(graph, vertex_order);
  const auto groups = group_columns(ordered.parent, ordered.counts, weights_of(graph, ordered), amalgamation);
  const auto group_of_front = order_groups(groups);
  const auto front_of_group = sparse::inverse_permutation(group_of_front);
  const auto vertices = place_vertices(graph, ordered, groups, front_of_group);

  FrontTree tree;
  const sparse::OrderCost cost = sparse::cost_of(graph, ordered);
  tree.entries = cost.entries;
  tree.operations = cost.operations;
  for (const int v : vertices.original)
    tree.original.insert(tree.original.end(), graph.members.begin() + graph.member_map[v],
                         graph.members.begin() + graph.member_map[v + 1]);
  for (std::size_t front = 0; front < group_of_front.size(); ++front) {
    const int group = group_of_front[front];
    tree.first_column.push_back(vertices.first_unknown[vertices.first_vertex[front + 1]]);
    tree.parent.push_back(groups.parent[group] < 0 ? -1 : front_of_group[groups.parent[group]]);
  }
  sparse::list_children(tree.parent, tree.child_map, tree.children);
  fill_rows(graph, vertices, tree);
  count_stored(tree);
  return tree;
}

}  // namespace terrace::ldlt
