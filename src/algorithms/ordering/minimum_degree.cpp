// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approximate minimum degree by AMD from SuiteSparse (Amestoy, Davis, Duff, "An approximate minimum degree ordering
// algorithm", SIAM J. Matrix Anal. Appl. 17, 1996; "Algorithm 837: AMD", ACM TOMS 30, 2004). Vertices of very high
// degree (more than 10 sqrt(n)) come last. It draws no random numbers and keeps nothing between calls.
//
// A vertex with one neighbour has the smallest degree there is. AMD is not asked for those: it takes as long for a tree
// as for any other graph, and takes the end of a chain again and again, where both ends could be eliminated at once.
#include <string>
#include <terrace/error.hpp>

#include "algorithms/ordering/orderings.hpp"
#include "sparse/induced_graph.hpp"
#include "sparse/peel_trees.hpp"

#if TERRACE_HAS_AMD
#include <amd.h>

#include <limits>
#include <utility>
#endif

namespace terrace::ordering {

#if TERRACE_HAS_AMD

bool has_minimum_degree() { return true; }

namespace {

void check_status(int status) {
  if (status == AMD_OUT_OF_MEMORY)
    throw Error(ErrorCode::OutOfMemory, "AMD ran out of memory; the reverse Cuthill-McKee ordering needs less");
  if (status != AMD_OK)
    throw Error(ErrorCode::LibraryFailure, "amd_order failed with status " + std::to_string(status) +
                                               "; the reverse Cuthill-McKee ordering does without AMD");
}

/// AMD comes for indices of two sizes, and takes memory for 1.2 times the entries and several numbers for each vertex.
template <class Index, class Call>
std::vector<int> order_with(const sparse::HostGraph& graph, const Call& call) {
  const std::vector<Index> row_map(graph.row_map.begin(), graph.row_map.end());
  std::vector<Index> copied_entries;
  const Index* entries = nullptr;
  if constexpr (std::is_same_v<Index, int>) {
    entries = graph.entries.data();
  } else {
    copied_entries.assign(graph.entries.begin(), graph.entries.end());
    entries = copied_entries.data();
  }
  std::vector<Index> original(static_cast<std::size_t>(graph.vertices()));
  check_status(static_cast<int>(
      call(static_cast<Index>(graph.vertices()), row_map.data(), entries, original.data(), nullptr, nullptr)));
  return std::vector<int>(original.begin(), original.end());
}

std::vector<int> order_with_amd(const sparse::HostGraph& graph) {
  const std::size_t capacity = 2 * graph.entries.size() + 10 * static_cast<std::size_t>(graph.vertices());
  if (capacity < static_cast<std::size_t>(std::numeric_limits<int>::max())) return order_with<int>(graph, amd_order);
  return order_with<SuiteSparse_long>(graph, amd_l_order);
}

constexpr double worth_a_copy = 0.1;  // of the vertices: where fewer are peeled, the graph stays as it is

}  // namespace

Order minimum_degree(const sparse::HostGraph& graph) {
  auto [order, core] = sparse::peel_trees(graph);
  if (core.empty()) return {std::move(order)};
  if (static_cast<double>(order.size()) < worth_a_copy * graph.vertices()) return {order_with_amd(graph)};
  for (const int place : order_with_amd(sparse::induced_graph(graph, core))) order.push_back(core[place]);
  return {std::move(order)};
}

#else

bool has_minimum_degree() { return false; }

Order minimum_degree(const sparse::HostGraph&) {
  throw Error(ErrorCode::InvalidOption,
              "approximate minimum degree needs AMD, and this Terrace was built without it (TERRACE_ENABLE_AMD=OFF; "
              "libsuitesparse-dev on Debian and Ubuntu); choose another ordering");
}

#endif

}  // namespace terrace::ordering
