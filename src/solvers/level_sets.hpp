// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// terrace::level_sets: the check is the caller's, so unsorted and full matrices are only brought into shape.
#pragma once

#include <terrace/level_sets.hpp>

#include "backends/failures.hpp"
#include "backends/structure_checks.hpp"
#include "sparse/make_triangle.hpp"
#include "sparse/order_by_level.hpp"

namespace terrace {

template <class Ordinal, class Offset, class Space>
LevelSets<Ordinal, Space> level_sets(
    const Space& space, Kokkos::View<const Offset*, Kokkos::Device<Space, typename Space::memory_space>> row_map,
    Kokkos::View<const Ordinal*, Kokkos::Device<Space, typename Space::memory_space>> entries,
    const TriangularOptions& options) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  if (row_map.extent(0) < 2) return {{0}, {}};
  const auto rows = static_cast<Ordinal>(row_map.extent(0) - 1);
  auto input = sparse::check_input<Ordinal, Offset, Space>(space, row_map, entries, rows, options);
  const parallel::ScratchShare of_input(space, input.memory);
  const auto triangle = sparse::make_triangle(space, input, sparse::Orientation::AsGiven);
  const auto levels = sparse::assign_levels<Ordinal, Offset, Space>(
      space, triangle.view(), triangle.count, triangle.gathers, sparse::runs_backward(options.uplo, options.op));
  auto order = sparse::order_by_level(space, levels);
  const parallel::ScratchShare of_order(space, order.memory);
  return {std::move(order.offsets), order.order};
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::level_sets");
}

}  // namespace terrace
