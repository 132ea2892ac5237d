// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A front adds up what its children hand to it one after the other. With a hundred thousand children, which stars,
// arrows and rows that are set aside for the end have, that is a long chain. So the children of a front with very many
// become children of sums: fronts without own columns, whose contribution block is the sum of those of a few.
//
// Children that follow one another share a sum as long as it does not store far more than they do.
#include <algorithm>
#include <iterator>

#include "algorithms/ldlt/front_tree.hpp"
#include "sparse/elimination_tree.hpp"

namespace terrace::ldlt {
namespace {

constexpr std::size_t max_children = 64;  // of a front, and of a sum
constexpr double max_growth = 4.0;        // of the entries of contribution blocks, by a sum
constexpr std::size_t few_rows = 32;      // of a sum, whose size does not matter then

struct Sum {
  int last_front;  // the sum stands behind it
  int parent;      // a node
  std::vector<int> rows;
};

/// Nodes are the fronts of a tree, and behind them the sums.
class SumMaker {
 public:
  explicit SumMaker(const FrontTree& tree) : tree_(tree), parent_(tree.parent) {}

  void run() {
    for (int f = 0; f < tree_.fronts(); ++f) {
      if (tree_.child_map[f + 1] - tree_.child_map[f] <= max_children) continue;
      std::vector<int> children(tree_.children.begin() + static_cast<std::ptrdiff_t>(tree_.child_map[f]),
                                tree_.children.begin() + static_cast<std::ptrdiff_t>(tree_.child_map[f + 1]));
      while (children.size() > max_children && sum_once(f, children)) {
      }
    }
  }

  const std::vector<Sum>& sums() const { return sums_; }
  /// Of a front.
  int parent(int front) const { return parent_[front]; }

 private:
  bool is_sum(int node) const { return node >= tree_.fronts(); }
  Sum& sum(int node) { return sums_[node - tree_.fronts()]; }

  std::vector<int> rows_of(int node) {
    if (is_sum(node)) return sum(node).rows;
    return {tree_.rows_begin(node) + tree_.columns_of(node), tree_.rows_begin(node) + tree_.rows_of(node)};
  }

  struct Group {
    std::size_t end;  // of its children
    std::vector<int> rows;
  };

  /// As many of the children from `first` on as may share a sum.
  Group group_from(const std::vector<int>& children, std::size_t first) {
    Group group{first + 1, rows_of(children[first])};
    const auto square = [](std::size_t rows) { return static_cast<double>(rows) * static_cast<double>(rows); };
    double entries = square(group.rows.size());
    while (group.end < children.size() && group.end - first < max_children) {
      const std::vector<int> more = rows_of(children[group.end]);
      std::vector<int> both;
      std::set_union(group.rows.begin(), group.rows.end(), more.begin(), more.end(), std::back_inserter(both));
      entries += square(more.size());
      if (both.size() > few_rows && square(both.size()) > max_growth * entries) break;
      group.rows = std::move(both);
      ++group.end;
    }
    return group;
  }

  /// Puts sums between a front and its children, if that halves the number of its children.
  bool sum_once(int front, std::vector<int>& children) {
    std::vector<Group> groups;
    for (std::size_t first = 0; first < children.size(); first = groups.back().end)
      groups.push_back(group_from(children, first));
    if (groups.size() > children.size() / 2) return false;
    std::vector<int> fewer;
    std::size_t first = 0;
    for (Group& group : groups) {
      if (group.end == first + 1) fewer.push_back(children[first]);
      else
        fewer.push_back(add_sum(front,
                                {children.begin() + static_cast<std::ptrdiff_t>(first),
                                 children.begin() + static_cast<std::ptrdiff_t>(group.end)},
                                std::move(group.rows)));
      first = group.end;
    }
    children = std::move(fewer);
    return true;
  }

  int add_sum(int front, const std::vector<int>& members, std::vector<int> rows) {
    const int node = tree_.fronts() + static_cast<int>(sums_.size());
    for (const int member : members) (is_sum(member) ? sum(member).parent : parent_[member]) = node;
    const int last = members.back();
    sums_.push_back({is_sum(last) ? sum(last).last_front : last, front, std::move(rows)});
    return node;
  }

  const FrontTree& tree_;
  std::vector<int> parent_;
  std::vector<Sum> sums_;
};

/// Which node comes where: each sum behind its last front, those that were made first before others.
std::vector<int> order_nodes(const FrontTree& tree, const std::vector<Sum>& sums) {
  std::vector<std::pair<int, int>> behind;  // front, node
  for (std::size_t s = 0; s < sums.size(); ++s)
    behind.emplace_back(sums[s].last_front, tree.fronts() + static_cast<int>(s));
  std::sort(behind.begin(), behind.end());
  std::vector<int> nodes;
  auto next = behind.begin();
  for (int f = 0; f < tree.fronts(); ++f) {
    nodes.push_back(f);
    for (; next != behind.end() && next->first == f; ++next) nodes.push_back(next->second);
  }
  return nodes;
}

}  // namespace

FrontTree sum_children(FrontTree tree) {
  SumMaker maker(tree);
  maker.run();
  const auto& sums = maker.sums();
  if (sums.empty()) return tree;
  const auto nodes = order_nodes(tree, sums);
  const auto place = sparse::inverse_permutation(nodes);
  FrontTree summed;
  for (const int node : nodes) {
    const bool is_sum = node >= tree.fronts();
    const Sum* const sum = is_sum ? &sums[node - tree.fronts()] : nullptr;
    const int parent = is_sum ? sum->parent : maker.parent(node);
    summed.parent.push_back(parent < 0 ? -1 : place[parent]);
    summed.first_column.push_back(is_sum ? summed.first_column.back() : tree.first_column[node + 1]);
    if (is_sum) summed.rows.insert(summed.rows.end(), sum->rows.begin(), sum->rows.end());
    else summed.rows.insert(summed.rows.end(), tree.rows_begin(node), tree.rows_begin(node) + tree.rows_of(node));
    summed.row_map.push_back(summed.rows.size());
  }
  sparse::list_children(summed.parent, summed.child_map, summed.children);
  summed.original = std::move(tree.original);
  summed.entries = tree.entries;
  summed.operations = tree.operations;
  summed.stored_entries = tree.stored_entries;
  summed.stored_operations = tree.stored_operations;
  return summed;
}

}  // namespace terrace::ldlt
