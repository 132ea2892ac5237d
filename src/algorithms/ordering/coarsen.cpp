// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ordering/coarsen.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace terrace::ordering {
namespace {

constexpr int range_size = 16384;  // vertices: few edges leave a range, and there are enough ranges for the threads
constexpr int max_ranges = 64;

/// match[v]: the partner of v in its range, or v.
void match_range(const WeightedGraph& graph, double max_weight, int begin, int end, std::vector<int>& match) {
  for (int v = begin; v < end; ++v) {
    if (match[v] >= 0) continue;
    int partner = v, heaviest = 0;
    for (int k = graph.row_map[v]; k < graph.row_map[v + 1]; ++k) {
      const int u = graph.entries[k], edge = graph.edge_weights.empty() ? 1 : graph.edge_weights[k];
      if (edge <= heaviest || u < begin || u >= end || match[u] >= 0) continue;
      if (graph.weight(v) + graph.weight(u) > max_weight) continue;
      partner = u;
      heaviest = edge;
    }
    match[v] = partner;
    match[partner] = v;
  }
}

/// The edges of one coarse vertex, found by their other end: a table that is emptied after each.
class EdgeTable {
 public:
  void reserve(std::size_t edges) {
    const std::size_t size = std::bit_ceil(4 * edges + 4);
    if (size > place_.size()) place_.assign(size, -1);
  }

  void add(int end, int weight, std::vector<int>& ends, std::vector<int>& weights) {
    std::size_t at = slot(end);
    while (place_[at] >= 0 && ends[place_[at]] != end) at = (at + 1) & (place_.size() - 1);
    if (place_[at] >= 0) {
      weights[place_[at]] += weight;
      return;
    }
    place_[at] = static_cast<int>(ends.size());
    used_.push_back(at);
    ends.push_back(end);
    weights.push_back(weight);
  }

  void clear() {
    for (const std::size_t at : used_) place_[at] = -1;
    used_.clear();
  }

 private:
  std::size_t slot(int end) const { return (static_cast<unsigned>(end) * 2654435761u) & (place_.size() - 1); }

  std::vector<int> place_;
  std::vector<std::size_t> used_;
};

/// The coarse vertices of a range and their edges.
void contract_range(const WeightedGraph& fine, const std::vector<int>& match, const std::vector<int>& vertex_of,
                    int begin, int end, WeightedGraph& coarse) {
  EdgeTable table;
  for (int v = begin; v < end; ++v) {
    if (match[v] < v) continue;
    const int own = vertex_of[v], pair[2] = {v, match[v]}, members = match[v] == v ? 1 : 2;
    int weight = 0, degree = 0;
    for (int m = 0; m < members; ++m) {
      weight += fine.weight(pair[m]);
      degree += fine.row_map[pair[m] + 1] - fine.row_map[pair[m]];
    }
    table.reserve(static_cast<std::size_t>(degree));
    for (int m = 0; m < members; ++m)
      for (int k = fine.row_map[pair[m]]; k < fine.row_map[pair[m] + 1]; ++k)
        if (const int to = vertex_of[fine.entries[k]]; to != own)
          table.add(to, fine.edge_weights.empty() ? 1 : fine.edge_weights[k], coarse.entries, coarse.edge_weights);
    table.clear();
    coarse.weights.push_back(weight);
    coarse.row_map.push_back(static_cast<int>(coarse.entries.size()));
  }
}

void append(std::vector<int>& all, const std::vector<int>& part) { all.insert(all.end(), part.begin(), part.end()); }

}  // namespace

CoarseGraph coarsen(const WeightedGraph& fine, double max_weight, parallel::HostTasks& tasks) {
  const int vertices = fine.vertices(), ranges = std::clamp(vertices / range_size, 1, max_ranges);
  const auto begin_of = [&](int range) {
    return static_cast<int>(static_cast<std::int64_t>(vertices) * range / ranges);
  };
  std::vector<int> match(static_cast<std::size_t>(vertices), -1), first(static_cast<std::size_t>(ranges) + 1, 0);
  tasks.each(0, ranges, [&](int range) {
    match_range(fine, max_weight, begin_of(range), begin_of(range + 1), match);
    for (int v = begin_of(range); v < begin_of(range + 1); ++v) first[range + 1] += match[v] >= v;
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  CoarseGraph coarse;
  coarse.vertex_of.resize(static_cast<std::size_t>(vertices));
  tasks.each(0, ranges, [&](int range) {
    int next = first[range];
    for (int v = begin_of(range); v < begin_of(range + 1); ++v)
      coarse.vertex_of[v] = match[v] < v ? coarse.vertex_of[match[v]] : next++;
  });
  std::vector<WeightedGraph> parts(static_cast<std::size_t>(ranges));
  tasks.each(0, ranges, [&](int range) {
    contract_range(fine, match, coarse.vertex_of, begin_of(range), begin_of(range + 1), parts[range]);
  });
  for (const auto& part : parts) {
    const int offset = coarse.graph.row_map.back();
    for (int v = 1; v <= part.vertices(); ++v) coarse.graph.row_map.push_back(offset + part.row_map[v]);
    append(coarse.graph.entries, part.entries);
    append(coarse.graph.weights, part.weights);
    append(coarse.graph.edge_weights, part.edge_weights);
  }
  return coarse;
}

}  // namespace terrace::ordering
