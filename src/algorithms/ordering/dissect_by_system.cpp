// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nested dissection by the system's METIS, in one thread: it draws from the C library's rand, so that calls at the same
// time would not repeat. For builds without the sources of METIS (TERRACE_FETCH_METIS=OFF).
#include <metis.h>

#include <limits>
#include <numeric>
#include <string>
#include <terrace/error.hpp>

#include "algorithms/ordering/dissect.hpp"
#include "algorithms/ordering/metis_lock.hpp"

namespace terrace::ordering {
namespace {

void throw_metis_error(int status) {
  if (status == METIS_ERROR_MEMORY)
    throw Error(ErrorCode::OutOfMemory, "METIS ran out of memory; the reverse Cuthill-McKee ordering needs less");
  throw Error(ErrorCode::LibraryFailure, "METIS_NodeND failed with status " + std::to_string(status) +
                                             "; the reverse Cuthill-McKee ordering does without METIS");
}

/// METIS's indices have 32 or 64 bits, as it was built.
void check_countable(std::size_t entries) {
  if (entries > static_cast<std::size_t>(std::numeric_limits<idx_t>::max()))
    throw Error(ErrorCode::OutOfMemory, "the graph has " + std::to_string(entries) +
                                            " edges, more than the indices of this METIS can count (it needs "
                                            "IDXTYPEWIDTH 64)");
}

}  // namespace

std::vector<int> dissect(const sparse::HostGraph& graph, const std::vector<int>& weights, int) {
  const auto vertices = static_cast<std::size_t>(graph.vertices());
  std::vector<int> order(vertices);
  std::iota(order.begin(), order.end(), 0);
  if (graph.entries.empty()) return order;  // METIS takes no graph without edges

  check_countable(graph.entries.size());
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

}  // namespace terrace::ordering
