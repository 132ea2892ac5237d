// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The level sets of a triangular matrix: which rows can be solved together (Naumov 2011, section 2).
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <terrace/triangular_options.hpp>
#include <vector>

namespace terrace {

/// Level 0 holds the rows that depend on no other; level k those whose longest chain of dependences has k
/// links. Every row of a level can be solved at once when all levels before it are done.
template <class Ordinal, class ExecutionSpace>
struct LevelSets {
  /// Where each level begins in row_order, and the number of rows at the end: levels + 1 numbers, on the host.
  std::vector<Ordinal> level_offsets;

  /// The rows by level, ascending within a level. On the device.
  Kokkos::View<Ordinal*, Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>> row_order;

  /// How many levels there are.
  Ordinal levels() const { return static_cast<Ordinal>(level_offsets.size()) - 1; }
  /// Rows in a level.
  Ordinal width(Ordinal level) const { return level_offsets[level + 1] - level_offsets[level]; }
};

/// Computes the level sets for solving op(A) x = b, where options says which triangle of which arrays A is.
/// The pattern must be valid; TriangularSolver checks it, this function does not. Waits for `space`.
/// row_map has n + 1 entries, entries row_map(n); rows and columns count from 0. Nothing of the caller's is kept.
/// Cost: O(n + entries) work; on a GPU one kernel per wide level and one per run of narrow levels.
template <class Ordinal, class Offset, class ExecutionSpace>
LevelSets<Ordinal, ExecutionSpace> level_sets(
    const ExecutionSpace& space,
    Kokkos::View<const Offset*, Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>> row_map,
    Kokkos::View<const Ordinal*, Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>> entries,
    const TriangularOptions& options = {});

}  // namespace terrace
