// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nested dissection by the system's METIS, in one thread: it draws from the C library's rand, so that calls at the same
// time would not repeat. For builds without the sources of METIS (TERRACE_FETCH_METIS=OFF).
#include <numeric>

#include "algorithms/ordering/call_metis.hpp"
#include "algorithms/ordering/dissect.hpp"

namespace terrace::ordering {

std::vector<int> dissect(const sparse::HostGraph& graph, const std::vector<int>& weights, int) {
  const auto vertices = static_cast<std::size_t>(graph.vertices());
  std::vector<int> order(vertices);
  std::iota(order.begin(), order.end(), 0);
  if (graph.entries.empty()) return order;  // METIS takes no graph without edges

  constexpr MetisFunction function{"METIS_NodeND", "the reverse Cuthill-McKee ordering does without METIS"};
  check_countable(function, graph.entries.size());
  std::vector<idx_t> row_map(graph.row_map.begin(), graph.row_map.end());
  std::vector<idx_t> entries(graph.entries.begin(), graph.entries.end());
  std::vector<idx_t> sizes(weights.begin(), weights.end()), original(vertices), renumbered(vertices);
  auto count = static_cast<idx_t>(vertices);
  call_metis(function, [&](idx_t* options) {
    return METIS_NodeND(&count, row_map.data(), entries.data(), sizes.empty() ? nullptr : sizes.data(), options,
                        original.data(), renumbered.data());
  });
  order.assign(original.begin(), original.end());
  return order;
}

}  // namespace terrace::ordering
