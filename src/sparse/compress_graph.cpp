// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indistinguishable vertices are found by sums of random numbers over their closed neighbourhoods, which need no graph
// of all unknowns: an entry adds to its row and to its column. The leader of a class is its smallest vertex; as all
// members are neighbours, each finds it among the entries between them.
//
// Sums may collide. The graph of the leaders, with each vertex replaced by all members of its class, has every edge of
// the matrix, and no more edges than the matrix has, exactly if all classes are right; else nothing is merged.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <optional>

#include "parallel/key_counts.hpp"
#include "sparse/compressed_graph.hpp"

namespace terrace::sparse {
namespace {

std::uint64_t random_number(int vertex) {
  std::uint64_t x = static_cast<std::uint64_t>(vertex) + 1;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 27);
}

template <class Offset, class Visit>
void for_each_edge(const HostTriangleView<Offset>& triangle, int first, int end, const Visit& visit) {
  triangle.for_each_read(first, end, [&](int row, int column, std::size_t) {
    if (row != column) visit(row, column);
  });
}

template <class Offset>
std::vector<std::uint64_t> sums_of_neighbourhoods(const HostTriangleView<Offset>& triangle, int threads) {
  const auto rows = static_cast<std::size_t>(triangle.rows);
  parallel::KeyCounts<std::uint64_t> sums(threads, triangle.rows, rows, triangle.stored());
  sums.for_ranges([&](int first, int end, const auto& add) {
    for (int row = first; row < end; ++row) {
      const std::uint64_t of_row = random_number(row);
      std::uint64_t own = of_row;
      for_each_edge(triangle, row, row + 1, [&](int, int column) {
        own += random_number(column);
        add(column, of_row);
      });
      add(row, own);
    }
  });
  std::vector<std::uint64_t> of_vertices(rows);
  sums.total([&](std::size_t vertex, std::uint64_t sum) { of_vertices[vertex] = sum; });
  return of_vertices;
}

template <class Offset>
class Merger {
 public:
  Merger(const HostTriangleView<Offset>& triangle, const std::vector<std::uint64_t>& key, int threads)
      : triangle_(triangle), key_(key), threads_(threads) {}

  /// Nothing: no vertices are merged.
  std::optional<CompressedGraph> take() {
    if (!find_leaders() || !list_members()) return std::nullopt;
    merged_.graph = graph_of_leaders();
    if (!has_the_same_edges()) return std::nullopt;
    return std::move(merged_);
  }

 private:
  /// leader_[v]: the smallest neighbour with the key of v. False: each vertex is its own.
  bool find_leaders() {
    leader_.resize(key_.size());
    std::iota(leader_.begin(), leader_.end(), 0);
    std::atomic<bool> is_any_merged = false;
    parallel::for_ranges(threads_, triangle_.rows, [&](int first, int end) {
      bool is_merged = false;
      for_each_edge(triangle_, first, end, [&](int row, int column) {
        if (key_[row] != key_[column]) return;
        parallel::lower_shared(leader_[std::max(row, column)], std::min(row, column));
        is_merged = true;
      });
      if (is_merged) is_any_merged = true;
    });
    return is_any_merged;
  }

  /// False: a leader has another one.
  bool list_members() {
    vertex_of_.resize(key_.size());
    for (int v = 0; v < triangle_.rows; ++v) {
      const int leader = leader_[v];
      if (leader_[leader] != leader) return false;
      if (leader == v) merged_.weights.push_back(0);
      vertex_of_[v] = leader == v ? static_cast<int>(merged_.weights.size()) - 1 : vertex_of_[leader];
      ++merged_.weights[vertex_of_[v]];
    }
    merged_.member_map.resize(merged_.weights.size() + 1);
    std::partial_sum(merged_.weights.begin(), merged_.weights.end(), merged_.member_map.begin() + 1);
    merged_.members.resize(key_.size());
    std::vector<int> next(merged_.member_map.begin(), merged_.member_map.end() - 1);
    for (int v = 0; v < triangle_.rows; ++v) merged_.members[next[vertex_of_[v]]++] = v;
    return true;
  }

  int vertices() const { return static_cast<int>(merged_.weights.size()); }
  int leader_of(int vertex) const { return merged_.members[merged_.member_map[vertex]]; }

  /// The edges between leaders, which keep their order.
  HostGraph graph_of_leaders() const {
    std::vector<std::size_t> row_map(merged_.weights.size() + 1, 0);
    const auto for_each_edge_of = [&](int vertex, const auto& visit) {
      const int leader = leader_of(vertex);
      for_each_edge(triangle_, leader, leader + 1, [&](int, int column) {
        if (leader_[column] == column) visit(vertex_of_[column]);
      });
    };
    parallel::for_ranges(threads_, vertices(), [&](int first, int end) {
      for (int vertex = first; vertex < end; ++vertex) for_each_edge_of(vertex, [&](int) { ++row_map[vertex + 1]; });
    });
    std::partial_sum(row_map.begin(), row_map.end(), row_map.begin());
    std::vector<int> entries(row_map.back());
    parallel::for_ranges(threads_, vertices(), [&](int first, int end) {
      std::size_t next = row_map[first];
      for (int vertex = first; vertex < end; ++vertex)
        for_each_edge_of(vertex, [&](int other) { entries[next++] = other; });
    });
    return graph_of(HostTriangleView<std::size_t>{vertices(), row_map.data(), entries.data(), triangle_.lower},
                    threads_);
  }

  bool has_the_same_edges() const {
    std::atomic<std::size_t> difference = 0;
    std::atomic<bool> is_any_missing = false;
    parallel::share_items(threads_, merged_.graph.row_map, [&] {
      return [&, near = std::vector<int>(merged_.weights.size(), -1)](int first, int end) mutable {
        std::size_t more = 0;
        bool is_missing = false;
        for (int vertex = first; vertex < end; ++vertex) is_missing |= !has_edges_of(vertex, near, more);
        difference += more;
        if (is_missing) is_any_missing = true;
      };
    });
    return !is_any_missing && difference == 0;
  }

  /// Whether the merged graph has all edges of the members' rows. `more` grows by how many it has, each edge from both
  /// sides, and shrinks by twice those of the rows. near[other] == vertex: neighbours, or the same.
  bool has_edges_of(int vertex, std::vector<int>& near, std::size_t& more) const {
    const HostGraph& graph = merged_.graph;
    const auto weight = static_cast<std::size_t>(merged_.weights[vertex]);
    std::size_t degree = weight - 1, of_rows = 0;
    near[vertex] = vertex;
    for (std::size_t k = graph.row_map[vertex]; k < graph.row_map[vertex + 1]; ++k) {
      near[graph.entries[k]] = vertex;
      degree += static_cast<std::size_t>(merged_.weights[graph.entries[k]]);
    }
    bool has_all = true;
    for (int m = merged_.member_map[vertex]; m < merged_.member_map[vertex + 1]; ++m)
      for_each_edge(triangle_, merged_.members[m], merged_.members[m] + 1, [&](int, int column) {
        has_all &= near[vertex_of_[column]] == vertex;
        ++of_rows;
      });
    more += weight * degree - 2 * of_rows;
    return has_all;
  }

  const HostTriangleView<Offset>& triangle_;
  const std::vector<std::uint64_t>& key_;
  const int threads_;
  std::vector<int> leader_;
  std::vector<int> vertex_of_;
  CompressedGraph merged_;
};

}  // namespace

template <class Offset>
std::optional<CompressedGraph> merge_vertices(const HostTriangleView<Offset>& triangle,
                                              const std::vector<std::uint64_t>& key, int threads) {
  return Merger<Offset>(triangle, key, threads).take();
}

template <class Offset>
CompressedGraph compress_graph(const HostTriangleView<Offset>& triangle, int threads) {
  if (auto merged = merge_vertices(triangle, sums_of_neighbourhoods(triangle, threads), threads))
    return *std::move(merged);
  return separate_vertices(graph_of(triangle, threads));
}

template std::optional<CompressedGraph> merge_vertices(const HostTriangleView<int>&, const std::vector<std::uint64_t>&,
                                                       int);
template std::optional<CompressedGraph> merge_vertices(const HostTriangleView<std::size_t>&,
                                                       const std::vector<std::uint64_t>&, int);
template CompressedGraph compress_graph(const HostTriangleView<int>&, int);
template CompressedGraph compress_graph(const HostTriangleView<std::size_t>&, int);

}  // namespace terrace::sparse
