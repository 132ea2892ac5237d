// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a front below its own columns are the neighbours of these and the rows of its children, without what the
// front eliminates. They are found as vertices, in the part of tree.rows where their unknowns will stand, children
// before their parents: threads take small subtrees, and one the fronts above. Then vertices give way to their
// unknowns.
#include "algorithms/ldlt/front_rows.hpp"

#include <algorithm>
#include <numeric>

#include "parallel/host_ranges.hpp"

namespace terrace::ldlt {
namespace {

class RowFinder {
 public:
  RowFinder(const sparse::PermutedGraph& graph, const FrontVertices& vertices, FrontTree& tree, int threads)
      : graph_(graph), vertices_(vertices), tree_(tree), threads_(threads), end_(tree.parent.size()) {}

  void run() {
    tree_.rows.resize(tree_.row_map.back());
    find_by_subtrees();
    parallel::share_items(threads_, tree_.row_map, [&] {
      return [&](int first, int end) {
        for (int front = first; front < end; ++front) expand(front);
      };
    });
  }

 private:
  using Seen = std::vector<int>;  // by which front each vertex was seen last

  Seen unseen() const { return Seen(vertices_.position.size(), -1); }

  void find_by_subtrees() {
    std::vector<int> first(end_.size());  // front of each subtree
    std::iota(first.begin(), first.end(), 0);
    for (int f = 0; f < tree_.fronts(); ++f)
      if (const int p = tree_.parent[f]; p >= 0) first[p] = std::min(first[p], first[f]);
    const auto rows_of_subtree = [&](int f) { return tree_.row_map[f + 1] - tree_.row_map[first[f]]; };
    const std::size_t grain =
        threads_ == 1 ? tree_.rows.size() : tree_.rows.size() / static_cast<std::size_t>(8 * threads_);
    std::vector<int> subtrees, above;  // their last fronts
    std::vector<std::size_t> rows{0};
    for (int f = 0; f < tree_.fronts(); ++f) {
      if (rows_of_subtree(f) > grain) {
        above.push_back(f);
      } else if (tree_.parent[f] < 0 || rows_of_subtree(tree_.parent[f]) > grain) {
        subtrees.push_back(f);
        rows.push_back(rows.back() + rows_of_subtree(f));
      }
    }
    parallel::share_items(threads_, rows, [&] {
      return [&, seen = unseen()](int begin, int end) mutable {
        for (int s = begin; s < end; ++s)
          for (int f = first[subtrees[s]]; f <= subtrees[s]; ++f) find(f, seen);
      };
    });
    if (above.empty()) return;
    Seen seen = unseen();
    for (const int f : above) find(f, seen);
  }

  int* begin_of(int front) { return tree_.rows.data() + tree_.row_map[front] + tree_.columns_of(front); }

  void find(int front, Seen& seen) {
    int* const begin = begin_of(front);
    int* end = begin;
    const int behind = vertices_.first_vertex[front + 1];
    const auto add = [&](int vertex) {
      if (vertex < behind || seen[vertex] == front) return;
      seen[vertex] = front;
      *end++ = vertex;
    };
    for (int i = vertices_.first_vertex[front]; i < behind; ++i) {
      const int position = vertices_.position[i];
      for (std::size_t k = graph_.row_map[position], row_end = graph_.row_map[position + 1]; k < row_end; ++k)
        add(vertices_.place[graph_.entries[k]]);
    }
    for (std::size_t c = tree_.child_map[front]; c < tree_.child_map[front + 1]; ++c) {
      const int child = tree_.children[c];
      for (const int* vertex = begin_of(child); vertex < end_[child]; ++vertex) add(*vertex);
    }
    std::sort(begin, end);
    end_[front] = end;
  }

  /// From the last one on: no vertex has fewer unknowns than one.
  void expand(int front) {
    int* to = tree_.rows.data() + tree_.row_map[front + 1];
    for (const int *begin = begin_of(front), *vertex = end_[front]; vertex-- > begin;) {
      const int first = vertices_.first_unknown[*vertex];
      for (int u = vertices_.first_unknown[*vertex + 1]; u-- > first;) *--to = u;
    }
    std::iota(tree_.rows.data() + tree_.row_map[front], begin_of(front), tree_.first_column[front]);
  }

  const sparse::PermutedGraph& graph_;
  const FrontVertices& vertices_;
  FrontTree& tree_;
  const int threads_;
  std::vector<int*> end_;  // of each front's vertices
};

}  // namespace

void find_rows(const sparse::PermutedGraph& graph, const FrontVertices& vertices, FrontTree& tree, int threads) {
  RowFinder(graph, vertices, tree, threads).run();
}

}  // namespace terrace::ldlt
