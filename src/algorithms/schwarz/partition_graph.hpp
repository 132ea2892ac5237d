// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partitions of graphs on the host, and what is to be said of them.
#pragma once

#include <cstddef>
#include <terrace/schwarz_info.hpp>
#include <vector>

namespace terrace::schwarz {

/// A graph without loops; both directions of each edge, once; neighbours ascend.
struct NodeGraph {
  std::vector<std::size_t> row_map{0};  ///< nodes + 1
  std::vector<int> entries;
  std::vector<double> weights;  ///< of each entry; empty: all weigh the same

  int nodes() const { return static_cast<int>(row_map.size()) - 1; }
};

/// A square pattern on the host, rows in any order; weights of its entries, or none.
struct HostPattern {
  std::vector<std::size_t> row_map{0};
  std::vector<int> entries;
  std::vector<double> weights;

  int rows() const { return static_cast<int>(row_map.size()) - 1; }
};

/// The graph of A + A^T on nodes of so many consecutive rows. The weight of an edge is the sum of those of all entries
/// between its nodes, in both directions.
NodeGraph make_node_graph(const HostPattern& pattern, int rows_per_node);

/// Block numbers of the nodes, by METIS, k-way with a fixed seed.
/// \throws Error InvalidOption without METIS, OutOfMemory, LibraryFailure.
std::vector<int> partition_by_metis(const NodeGraph& graph, int blocks);

/// Sizes in rows, and where a graph is given the cut and the parts.
void describe_partition(const std::vector<int>& block_of_row, int blocks, PartitionInfo& info);
void describe_graph(const NodeGraph& graph, const std::vector<int>& block_of_node, int blocks, PartitionInfo& info);

/// How many blocks so many nodes are divided into. \throws Error InvalidOption for more blocks than nodes, or less than
/// none.
void check_blocks(int blocks, std::int64_t nodes, int unknowns_per_node);

}  // namespace terrace::schwarz
