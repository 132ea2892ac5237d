// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the rows of a pattern: to the host, through one of the orderings, and back.
#pragma once

#include "algorithms/ordering/orderings.hpp"
#include "sparse/pattern.hpp"

namespace terrace::ordering {

/// Row i of what is factorized is row original(i) of the matrix. Empty: the natural order.
template <class Ordinal, class Space>
struct Renumbering {
  Kokkos::View<const Ordinal*, analysis::Device<Space>> original;
  int colours = 0;

  bool is_natural() const { return original.extent(0) == 0; }
  std::size_t bytes_held() const { return original.span() * sizeof(Ordinal); }
};

inline Order order_graph(Ordering ordering, const OrderGraph& graph) {
  switch (ordering) {
    case Ordering::Natural: break;
    case Ordering::ReverseCuthillMckee: return reverse_cuthill_mckee(graph);
    case Ordering::NestedDissection: return nested_dissection(graph);
    case Ordering::Multicolour: return multicolour(graph);
  }
  return {};
}

/// `lines` are whole rows in ascending order. Waits for the space.
template <class Ordinal, class Offset, class Space>
Renumbering<Ordinal, Space> order_rows(const Space& space, Ordering ordering,
                                       const analysis::Lines<Ordinal, Offset, Space>& lines) {
  if (ordering == Ordering::Natural) return {};
  space.fence("terrace::ordering::order_rows");
  const auto line_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lines.line_map);
  const auto entries = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lines.entries);
  const Order order = order_graph(ordering, make_order_graph(lines.count, line_map.data(), entries.data()));

  const auto original = analysis::uninitialized<Ordinal>(space, "terrace::ordering::original", order.original.size());
  const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), original);
  for (std::size_t row = 0; row < order.original.size(); ++row) host(row) = order.original[row];
  Kokkos::deep_copy(space, original, host);
  space.fence("terrace::ordering::order_rows");
  return {original, order.colours};
}

}  // namespace terrace::ordering
