// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first phase of the analysis, on the host: the triangle that is read, its graph, and the order of elimination.
#pragma once

#include <optional>
#include <string>
#include <terrace/ldlt_info.hpp>
#include <terrace/ldlt_options.hpp>

#include "algorithms/ldlt/host_triangle.hpp"
#include "algorithms/ordering/choose_order.hpp"
#include "parallel/host_ranges.hpp"
#include "parallel/host_vectors.hpp"

namespace terrace::ldlt {

/// The triangle that is read, where the host reads it.
template <class Ordinal, class Offset, class Space>
struct HostTriangle {
  using RowMap = Kokkos::View<const Offset*, parallel::Device<Space>>;
  using Entries = Kokkos::View<const Ordinal*, parallel::Device<Space>>;

  decltype(parallel::readable_on_host<Offset>(Space(), RowMap())) row_map;
  decltype(parallel::readable_on_host<Ordinal>(Space(), Entries())) entries;
  sparse::HostTriangleView<Offset> view;

  HostTriangle(const Space& space, const RowMap& rows, const Entries& columns, bool lower)
      : row_map(parallel::readable_on_host<Offset>(space, rows)),
        entries(parallel::readable_on_host<Ordinal>(space, columns)),
        view{static_cast<int>(rows.extent(0)) - 1, row_map.data(), entries.data(), lower} {}
  HostTriangle(const HostTriangle&) = delete;
};

/// Of the host, for the analysis.
inline int threads_of(const LdltSymbolicOptions& options) {
  return options.analysis_threads > 0 ? options.analysis_threads : Kokkos::DefaultHostExecutionSpace().concurrency();
}

/// Those that the loops of the analysis have work for. Nested dissection, one loop that takes long, has all of them.
template <class Offset>
int threads_for_loops(const LdltSymbolicOptions& options, const HostTriangleView<Offset>& triangle) {
  return parallel::threads_for_entries(threads_of(options), static_cast<std::size_t>(triangle.row_map[triangle.rows]));
}

struct OrderedGraph {
  sparse::CompressedGraph graph;
  sparse::OrderedVertices vertices;
};

inline void note_facts(const TriangleFacts& facts, LdltSymbolicInfo& info) {
  info.matrix_entries = facts.entries;
  info.empty_rows = facts.empty_rows;
  info.first_empty_row = facts.first_empty_row;
  info.missing_diagonals = facts.missing_diagonals;
  info.first_missing_diagonal = facts.first_missing_diagonal;
}

/// Writes into the info what it finds.
template <class Offset>
OrderedGraph order_triangle(const HostTriangleView<Offset>& triangle, const LdltSymbolicOptions& options, bool on_host,
                            LdltSymbolicInfo& info) {
  const int threads = threads_for_loops(options, triangle);
  // Where rows are sorted, check_pattern has found what repeats.
  if (const auto row = options.check_structure ? first_repeating_row(triangle, threads) : std::nullopt)
    throw Error(ErrorCode::DuplicateEntry, "row " + std::to_string(*row) + " stores an entry twice", *row);
  const Kokkos::Timer time;
  OrderedGraph ordered{ordering::compress_for(options.ordering, triangle, threads), {}};
  note_facts(facts_of(triangle, ordered.graph, threads), info);
  auto order =
      ordering::choose_order(ordered.graph, options.ordering, options.permutation,
                             {on_host ? ordering::OrderUser::Host : ordering::OrderUser::Device, threads_of(options)});
  info.ordering_seconds = time.seconds();
  info.ordering = order.ordering;
  info.ordering_reason = order.reason;
  ordered.vertices = order.in_postorder ? std::move(*order.in_postorder)
                                        : sparse::in_postorder(ordered.graph, order.vertices, threads);
  return ordered;
}

}  // namespace terrace::ldlt
