// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/permuted_graph.hpp"

#include <numeric>

#include "parallel/host_ranges.hpp"

namespace terrace::sparse {

template <class Graph>
PermutedGraph permuted_graph(const Graph& graph, const std::vector<int>& original, const std::vector<int>& place,
                             int threads) {
  PermutedGraph permuted;
  permuted.row_map.assign(original.size() + 1, 0);
  parallel::for_ranges(threads, graph.vertices(), [&](int first, int end) {
    for (int i = first; i < end; ++i) permuted.row_map[i + 1] = graph.degree(original[i]);
  });
  std::partial_sum(permuted.row_map.begin(), permuted.row_map.end(), permuted.row_map.begin());
  permuted.entries.resize(permuted.row_map.back());
  parallel::for_ranges(threads, graph.vertices(), [&](int first, int end) {
    int* next = permuted.entries.data() + permuted.row_map[first];
    for (int i = first; i < end; ++i)
      for (std::size_t k = graph.row_map[original[i]], row_end = graph.row_map[original[i] + 1]; k < row_end; ++k)
        *next++ = place[graph.entries[k]];
  });
  return permuted;
}

template PermutedGraph permuted_graph(const HostGraph&, const std::vector<int>&, const std::vector<int>&, int);
template PermutedGraph permuted_graph(const PermutedGraph&, const std::vector<int>&, const std::vector<int>&, int);

}  // namespace terrace::sparse
