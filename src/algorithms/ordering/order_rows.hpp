// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the rows of a pattern: to the host, through one of the orderings, and back.
#pragma once

#include <vector>

#include "algorithms/ordering/orderings.hpp"
#include "parallel/host_vectors.hpp"
#include "sparse/triangle.hpp"

namespace terrace::ordering {

/// Row i of what is factorized is row original(i) of the matrix. Empty: the natural order.
template <class Ordinal, class Space>
struct Renumbering {
  Kokkos::View<const Ordinal*, parallel::Device<Space>> original;
  int colors = 0;

  bool is_natural() const { return original.extent(0) == 0; }
  std::size_t bytes_held() const { return original.span() * sizeof(Ordinal); }
};

/// The rows of `triangle` are whole and ascending; `permutation` is empty but for Ordering::Given, and checked. Waits
/// for the space.
template <class Ordinal, class Offset, class Space>
Renumbering<Ordinal, Space> order_rows(const Space& space, Ordering ordering, const std::vector<int>& permutation,
                                       const sparse::Triangle<Ordinal, Offset, Space>& triangle) {
  if (ordering == Ordering::Natural) return {};
  const auto row_map = parallel::to_host_vector<Offset>(space, triangle.row_map);
  const auto entries = parallel::to_host_vector<Ordinal>(space, triangle.entries);
  const Order order =
      order_graph(ordering, permutation, sparse::make_host_graph(triangle.count, row_map.data(), entries.data()));
  std::vector<Ordinal> host(order.original.begin(), order.original.end());
  const auto original = parallel::from_host_vector(space, "terrace::ordering::original", host);
  return {original, order.colors};
}

}  // namespace terrace::ordering
