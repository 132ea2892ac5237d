// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/elimination_tree.hpp"

namespace terrace::sparse {

std::vector<int> inverse_permutation(const std::vector<int>& original) {
  std::vector<int> place(original.size());
  for (std::size_t i = 0; i < original.size(); ++i) place[original[i]] = static_cast<int>(i);
  return place;
}

std::vector<int> elimination_tree(const PermutedGraph& graph) {
  const int vertices = graph.vertices();
  std::vector<int> parent(vertices, -1), ancestor(vertices, -1);
  for (int row = 0; row < vertices; ++row)
    for (std::size_t k = graph.row_map[row], row_end = graph.row_map[row + 1]; k < row_end; ++k) {
      // Each column on the path from `column` to the root of its tree so far has an entry in this row.
      for (int column = graph.entries[k]; column >= 0 && column < row;) {
        const int next = ancestor[column];
        ancestor[column] = row;
        if (next < 0) parent[column] = row;
        column = next;
      }
    }
  return parent;
}

// Subtrees are laid out from the last one to the first: end[v] is where what is not yet placed of v's subtree ends.
std::vector<int> postorder_places(const std::vector<int>& parent) {
  const auto vertices = static_cast<int>(parent.size());
  std::vector<int> size(parent.size(), 1), end(parent.size()), place(parent.size());
  for (int v = 0; v < vertices; ++v)
    if (parent[v] >= 0) size[parent[v]] += size[v];
  int end_of_forest = vertices;
  for (int v = vertices - 1; v >= 0; --v) {
    int& end_of_siblings = parent[v] >= 0 ? end[parent[v]] : end_of_forest;
    place[v] = end[v] = end_of_siblings - 1;
    end_of_siblings -= size[v];
  }
  return place;
}

void list_children(const std::vector<int>& parent, std::vector<std::size_t>& child_map, std::vector<int>& children) {
  const auto vertices = static_cast<int>(parent.size());
  child_map.assign(parent.size() + 1, 0);
  for (const int p : parent)
    if (p >= 0) ++child_map[p + 1];
  for (int v = 0; v < vertices; ++v) child_map[v + 1] += child_map[v];
  children.resize(child_map.back());
  std::vector<std::size_t> next(child_map.begin(), child_map.end() - 1);
  for (int v = 0; v < vertices; ++v)
    if (parent[v] >= 0) children[next[parent[v]]++] = v;
}

std::vector<int> postorder(const std::vector<int>& parent, const std::vector<std::size_t>& child_map,
                           const std::vector<int>& children) {
  std::vector<int> order, path;
  order.reserve(parent.size());
  std::vector<std::size_t> next(child_map.begin(), child_map.end() - 1);
  for (int root = 0; root < static_cast<int>(parent.size()); ++root) {
    if (parent[root] >= 0) continue;
    path.push_back(root);
    while (!path.empty()) {
      const int v = path.back();
      if (next[v] < child_map[v + 1]) {
        path.push_back(children[next[v]++]);
      } else {
        order.push_back(v);
        path.pop_back();
      }
    }
  }
  return order;
}

namespace {

/// Least common ancestors of leaves that come in postorder: trees of columns passed, with paths that are halved.
struct Ancestors {
  std::vector<int> above;

  explicit Ancestors(int vertices) : above(vertices) {
    for (int v = 0; v < vertices; ++v) above[v] = v;
  }
  int root(int v) {
    while (above[v] != v) {
      above[v] = above[above[v]];
      v = above[v];
    }
    return v;
  }
};

}  // namespace

// Row i of L has an entry in column j where j lies in the row's subtree: the union of the paths from i's neighbours j <
// i up to i. So the rows of column j are counted from below: each leaf of a row's subtree adds the row's weight, each
// least common ancestor of two consecutive leaves takes it away again, and so does the parent of i, where the subtree
// ends.
std::vector<std::int64_t> column_counts(const PermutedGraph& graph, const std::vector<int>& parent,
                                        const std::vector<int>& weights) {
  const int vertices = graph.vertices();
  std::vector<std::int64_t> count(vertices, 0);
  std::vector<int> first(vertices, -1), deepest(vertices, -1), last_leaf(vertices, -1);
  for (int j = 0; j < vertices; ++j) {  // first[v]: the first descendant of v
    if (first[j] < 0) {                 // a leaf of the tree: the row subtree of j is j alone
      count[j] += weights[j];
      first[j] = j;
    }
    if (parent[j] < 0) continue;
    count[parent[j]] -= weights[j];
    if (first[parent[j]] < 0) first[parent[j]] = first[j];
  }
  Ancestors ancestors(vertices);
  for (int j = 0; j < vertices; ++j) {
    for (std::size_t k = graph.row_map[j], row_end = graph.row_map[j + 1]; k < row_end; ++k) {
      const int row = graph.entries[k];
      if (row <= j || first[j] <= deepest[row]) continue;  // not a leaf of this row's subtree
      deepest[row] = first[j];
      count[j] += weights[row];
      if (last_leaf[row] >= 0) count[ancestors.root(last_leaf[row])] -= weights[row];
      last_leaf[row] = j;
    }
    if (parent[j] >= 0) ancestors.above[j] = parent[j];
  }
  for (int j = 0; j < vertices; ++j)
    if (parent[j] >= 0) count[parent[j]] += count[j];
  return count;
}

}  // namespace terrace::sparse
