// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nested dissection by METIS (Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning irregular
// graphs", SIAM J. Sci. Comput. 20, 1998). The seed is fixed, so the same graph gets the same order.
#include <numeric>
#include <string>
#include <terrace/error.hpp>

#include "algorithms/ordering/dense_rows.hpp"
#include "algorithms/ordering/orderings.hpp"

#if TERRACE_HAS_METIS
#include <metis.h>

#include <algorithm>
#include <limits>

#include "algorithms/ordering/metis_lock.hpp"
#endif

namespace terrace::ordering {

#if TERRACE_HAS_METIS

bool has_nested_dissection() { return true; }

namespace {

void throw_metis_error(int status) {
  if (status == METIS_ERROR_MEMORY)
    throw Error(ErrorCode::OutOfMemory, "METIS ran out of memory; the reverse Cuthill-McKee ordering needs less");
  throw Error(ErrorCode::LibraryFailure, "METIS_NodeND failed with status " + std::to_string(status) +
                                             "; the reverse Cuthill-McKee ordering does without METIS");
}

/// METIS's indices have 32 or 64 bits, as it was built.
idx_t checked_index(std::size_t number) {
  if (number > static_cast<std::size_t>(std::numeric_limits<idx_t>::max()))
    throw Error(ErrorCode::OutOfMemory, "the graph has " + std::to_string(number) +
                                            " edges, more than the indices of this METIS can count (it needs "
                                            "IDXTYPEWIDTH 64)");
  return static_cast<idx_t>(number);
}

std::vector<int> dissect(const sparse::HostGraph& graph, const std::vector<int>& weights) {
  const auto vertices = static_cast<std::size_t>(graph.vertices());
  std::vector<int> order(vertices);
  std::iota(order.begin(), order.end(), 0);
  if (graph.entries.empty()) return order;  // METIS takes no graph without edges

  checked_index(graph.entries.size());
  std::vector<idx_t> row_map(graph.row_map.begin(), graph.row_map.end());
  std::vector<idx_t> entries(graph.entries.begin(), graph.entries.end());
  std::vector<idx_t> sizes(weights.begin(), weights.end()), original(vertices), renumbered(vertices);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  auto count = static_cast<idx_t>(vertices);
  const std::lock_guard<std::mutex> lock(one_metis_at_a_time());
  const int status = METIS_NodeND(&count, row_map.data(), entries.data(), sizes.empty() ? nullptr : sizes.data(),
                                  options, original.data(), renumbered.data());
  if (status != METIS_OK) throw_metis_error(status);
  order.assign(original.begin(), original.end());
  return order;
}

}  // namespace

Order nested_dissection(const sparse::HostGraph& graph, const std::vector<int>& weights) {
  const bool are_equal = std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>()) == weights.end();
  const DenseRows dense = set_dense_rows_aside(graph, weights);
  if (dense.vertices.empty()) return {dissect(graph, are_equal ? std::vector<int>() : weights)};
  Order order{dissect(dense.rest, are_equal ? std::vector<int>() : dense.weights)};
  for (int& vertex : order.original) vertex = dense.others[vertex];
  order.original.insert(order.original.end(), dense.vertices.begin(), dense.vertices.end());
  return order;
}

#else

bool has_nested_dissection() { return false; }

Order nested_dissection(const sparse::HostGraph&, const std::vector<int>&) {
  throw Error(ErrorCode::InvalidOption,
              "nested dissection needs METIS, and this Terrace was built without it (TERRACE_ENABLE_METIS=OFF; "
              "libmetis-dev on Debian and Ubuntu); choose another ordering");
}

#endif

}  // namespace terrace::ordering
