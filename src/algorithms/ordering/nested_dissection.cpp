// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nested dissection by METIS (Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning irregular
// graphs", SIAM J. Sci. Comput. 20, 1998). The seed is fixed, so the same graph gets the same order.
#include <numeric>
#include <string>
#include <terrace/error.hpp>

#include "algorithms/ordering/orderings.hpp"

#if TERRACE_HAS_METIS
#include <metis.h>

#include <limits>

#include "algorithms/ordering/metis_lock.hpp"
#endif

namespace terrace::ordering {

#if TERRACE_HAS_METIS
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

}  // namespace

Order nested_dissection(const sparse::HostGraph& graph) {
  const auto vertices = static_cast<std::size_t>(graph.vertices());
  Order order{std::vector<int>(vertices)};
  std::iota(order.original.begin(), order.original.end(), 0);
  if (graph.entries.empty()) return order;  // METIS takes no graph without edges

  checked_index(graph.entries.size());
  std::vector<idx_t> line_map(graph.row_map.begin(), graph.row_map.end());
  std::vector<idx_t> entries(graph.entries.begin(), graph.entries.end());
  std::vector<idx_t> original(vertices), renumbered(vertices);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  auto count = static_cast<idx_t>(vertices);
  const std::lock_guard<std::mutex> lock(one_metis_at_a_time());
  const int status =
      METIS_NodeND(&count, line_map.data(), entries.data(), nullptr, options, original.data(), renumbered.data());
  if (status != METIS_OK) throw_metis_error(status);
  order.original.assign(original.begin(), original.end());
  return order;
}

#else

Order nested_dissection(const sparse::HostGraph&) {
  throw Error(ErrorCode::InvalidOption,
              "nested dissection needs METIS, and this Terrace was built without it (TERRACE_ENABLE_METIS=OFF); choose "
              "another ordering");
}

#endif

}  // namespace terrace::ordering
