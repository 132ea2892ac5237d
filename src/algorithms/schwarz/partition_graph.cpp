// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/schwarz/partition_graph.hpp"

#include <algorithm>
#include <string>
#include <terrace/error.hpp>
#include <utility>

namespace terrace::schwarz {
namespace {

/// The entries of a node's row, sorted, and those of the same neighbour joined. Returns how many are left.
std::size_t join_neighbours(std::vector<std::pair<int, double>>& row) {
  std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (kept > 0 && row[kept - 1].first == row[k].first) row[kept - 1].second += row[k].second;
    else row[kept++] = row[k];
  }
  return kept;
}

}  // namespace

NodeGraph make_node_graph(const HostPattern& pattern, int rows_per_node) {
  const int nodes = pattern.rows() / rows_per_node;
  const bool weighted = !pattern.weights.empty();
  const auto for_each_edge = [&](const auto& visit) {
    for (int row = 0; row < pattern.rows(); ++row)
      for (std::size_t k = pattern.row_map[row]; k < pattern.row_map[row + 1]; ++k) {
        const int a = row / rows_per_node, b = pattern.entries[k] / rows_per_node;
        if (a == b) continue;
        const double weight = weighted ? pattern.weights[k] : 1.0;
        visit(a, b, weight);
        visit(b, a, weight);
      }
  };
  std::vector<std::size_t> next(static_cast<std::size_t>(nodes) + 1, 0);
  for_each_edge([&](int from, int, double) { ++next[from + 1]; });
  for (int node = 0; node < nodes; ++node) next[node + 1] += next[node];
  const std::vector<std::size_t> begin = next;
  std::vector<std::pair<int, double>> edges(next.back());
  for_each_edge([&](int from, int to, double weight) { edges[next[from]++] = {to, weight}; });

  NodeGraph graph;
  graph.row_map.reserve(begin.size());
  graph.entries.reserve(edges.size() / 2);
  std::vector<std::pair<int, double>> row;
  for (int node = 0; node < nodes; ++node) {
    row.assign(edges.begin() + static_cast<std::ptrdiff_t>(begin[node]),
               edges.begin() + static_cast<std::ptrdiff_t>(begin[node + 1]));
    const std::size_t kept = join_neighbours(row);
    for (std::size_t k = 0; k < kept; ++k) {
      graph.entries.push_back(row[k].first);
      if (weighted) graph.weights.push_back(row[k].second);
    }
    graph.row_map.push_back(graph.entries.size());
  }
  return graph;
}

void check_blocks(int blocks, std::int64_t nodes, int unknowns_per_node) {
  const std::string asked = "blocks is " + std::to_string(blocks);
  if (blocks < 0) throw Error(ErrorCode::InvalidOption, asked + "; it must be positive, or 0 to have it chosen");
  if (blocks > std::max<std::int64_t>(nodes, 1))
    throw Error(ErrorCode::InvalidOption,
                asked + ", but there are " + std::to_string(nodes) + (unknowns_per_node > 1 ? " nodes" : " rows"));
}

void describe_partition(const std::vector<int>& block_of_row, int blocks, PartitionInfo& info) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(blocks), 0);
  for (const int block : block_of_row) ++sizes[static_cast<std::size_t>(block)];
  info.rows = static_cast<std::int64_t>(block_of_row.size());
  info.blocks = blocks;
  info.smallest_block = info.largest_block = info.empty_blocks = 0;
  for (const std::int64_t size : sizes) {
    if (size == 0) ++info.empty_blocks;
    else if (info.smallest_block == 0 || size < info.smallest_block) info.smallest_block = size;
    info.largest_block = std::max(info.largest_block, size);
  }
}

void describe_graph(const NodeGraph& graph, const std::vector<int>& block_of_node, int blocks, PartitionInfo& info) {
  std::vector<int> parts(static_cast<std::size_t>(blocks), 0), stack;
  std::vector<bool> is_visited(block_of_node.size(), false);
  std::int64_t crossing = 0;
  for (int start = 0; start < graph.nodes(); ++start) {
    if (!is_visited[start]) {
      ++parts[block_of_node[start]];
      is_visited[start] = true;
      stack.push_back(start);
    }
    while (!stack.empty()) {
      const int node = stack.back();
      stack.pop_back();
      for (std::size_t k = graph.row_map[node]; k < graph.row_map[node + 1]; ++k) {
        const int other = graph.entries[k];
        if (block_of_node[other] != block_of_node[node]) {
          ++crossing;
        } else if (!is_visited[other]) {
          is_visited[other] = true;
          stack.push_back(other);
        }
      }
    }
  }
  info.cut = crossing / 2;  // each node is popped once, and each edge was met from both of its ends
  info.disconnected_blocks = std::count_if(parts.begin(), parts.end(), [](int count) { return count > 1; });
}

}  // namespace terrace::schwarz
