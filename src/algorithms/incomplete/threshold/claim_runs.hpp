// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows the threads of a host claim together.
//
// Where each row needs the one before, as along the lines of a grid, threads that claim row after row take turns, and
// each turn is a message between cores: two were slower than one. A thread that has a whole line waits for none of its
// rows, and follows the thread of the line before at the distance that the fill asks for.
#pragma once

#include <type_traits>
#include <vector>

#include "algorithms/incomplete/merged_pattern.hpp"
#include "parallel/host_vectors.hpp"

namespace terrace::incomplete {

struct RunTuning {
  /// Runs of so many rows on average, and so many for each thread, are worth it.
  static constexpr int rows_of_run = 16, runs_of_thread = 4;
};

/// Runs of rows of which each has an entry in the column of the one before; where each begins, and the number of rows.
/// Empty where rows are better claimed one by one, and on devices.
template <class Ordinal, class Offset, class Space>
Kokkos::View<const Ordinal*, parallel::Device<Space>> find_claim_runs(
    const Space& space, const MergedPattern<Ordinal, Offset, Space>& matrix) {
  if constexpr (parallel::is_host_space<Space>) {
    const auto threads = static_cast<std::size_t>(space.concurrency());
    const auto pattern = matrix.view();
    space.fence("terrace::incomplete::find_claim_runs");
    std::vector<Ordinal> run_map;
    for (Ordinal row = 0; threads > 1 && row < matrix.count; ++row) {
      const Offset diagonal = pattern.diagonal[row];
      const bool needs_former = diagonal > pattern.row_map[row] && pattern.entries[diagonal - 1] == row - 1;
      if (!needs_former) run_map.push_back(row);
    }
    const std::size_t runs = run_map.size();
    if (runs < RunTuning::runs_of_thread * threads ||
        RunTuning::rows_of_run * runs > static_cast<std::size_t>(matrix.count))
      return {};
    run_map.push_back(matrix.count);
    return parallel::from_host_vector(space, "terrace::incomplete::run_map", run_map);
  } else {
    static_cast<void>(space);
    static_cast<void>(matrix);
    return {};
  }
}

}  // namespace terrace::incomplete
