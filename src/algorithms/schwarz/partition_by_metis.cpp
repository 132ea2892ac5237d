// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// k-way partitions by METIS (Karypis and Kumar, "Multilevel k-way partitioning scheme for irregular graphs", J.
// Parallel Distrib. Comput. 48, 1998). The seed is fixed, so the same graph gets the same partition.
#include <algorithm>
#include <terrace/error.hpp>

#include "algorithms/schwarz/partition_graph.hpp"

#if TERRACE_HAS_METIS
#include "algorithms/ordering/call_metis.hpp"
#endif

namespace terrace::schwarz {

#if TERRACE_HAS_METIS
namespace {

constexpr ordering::MetisFunction function{"METIS_PartGraphKway",
                                           "boxes of a grid (partition_grid) and given block numbers do without METIS"};

/// METIS's weights are integers from one on. The heaviest edge gets 1,000 more than the lightest.
std::vector<idx_t> whole_weights(const std::vector<double>& weights) {
  double heaviest = 0;
  for (const double weight : weights) heaviest = std::max(heaviest, weight);
  std::vector<idx_t> whole(weights.size(), 1);
  if (heaviest > 0)
    for (std::size_t k = 0; k < weights.size(); ++k) whole[k] += static_cast<idx_t>(1000 * (weights[k] / heaviest));
  return whole;
}

}  // namespace

std::vector<int> partition_by_metis(const NodeGraph& graph, int blocks) {
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  std::vector<int> block_of(nodes, 0);
  if (blocks == 1) return block_of;
  if (graph.entries.empty()) {  // METIS takes no graph without edges
    for (std::size_t node = 0; node < nodes; ++node)
      block_of[node] = static_cast<int>(node * static_cast<std::size_t>(blocks) / nodes);
    return block_of;
  }
  ordering::check_countable(function, graph.entries.size());
  std::vector<idx_t> row_map(graph.row_map.begin(), graph.row_map.end());
  std::vector<idx_t> entries(graph.entries.begin(), graph.entries.end());
  std::vector<idx_t> weights = whole_weights(graph.weights), found(nodes);
  auto count = static_cast<idx_t>(nodes), parts = static_cast<idx_t>(blocks);
  idx_t constraints = 1, cut = 0;
  ordering::call_metis(function, [&](idx_t* options) {
    return METIS_PartGraphKway(&count, &constraints, row_map.data(), entries.data(), nullptr, nullptr,
                               weights.empty() ? nullptr : weights.data(), &parts, nullptr, nullptr, options, &cut,
                               found.data());
  });
  std::copy(found.begin(), found.end(), block_of.begin());
  return block_of;
}

#else

std::vector<int> partition_by_metis(const NodeGraph&, int) {
  throw Error(
      ErrorCode::InvalidOption,
      "partitioning a graph needs METIS, and this Terrace was built without it (TERRACE_ENABLE_METIS=OFF; "
      "libmetis-dev on Debian and Ubuntu); boxes of a grid (partition_grid) and given block numbers do without");
}

#endif

}  // namespace terrace::schwarz
