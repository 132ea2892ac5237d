// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows the threads of a host claim together: threads that claim row after row exchange a message between cores
// for each, which takes longer than a short row does.
//
// Where each row needs the one before, as along the lines of a grid, a thread that has a whole line waits for none of
// its rows, and follows the thread of the line before at the distance that the fill asks for. A chain, or a narrow
// band, is one line, and one thread's. The rows of a wide band take longer than messages, and are claimed one by one,
// since each can begin before the one before it has ended; so are rows that need others far away.
#pragma once

#include <type_traits>
#include <vector>

#include "algorithms/incomplete/merged_pattern.hpp"
#include "parallel/host_vectors.hpp"

namespace terrace::incomplete {

struct RunTuning {
  /// Runs of so many rows on average are worth it; and so many runs for each thread, where rows take long.
  static constexpr std::size_t rows_of_run = 16, runs_of_thread = 4;

  /// Entries of an average row from which it takes long.
  static constexpr std::size_t entries_of_long_row = 16;

  /// Up to so many entries rows take so little time that a thread also keeps those that need one of so many before.
  static constexpr std::size_t entries_of_short_row = 4;
  static constexpr int short_rows_before = 8;
};

/// Where runs of rows begin of which each needs one of the `near` rows before it.
template <class Ordinal, class Offset>
std::vector<Ordinal> find_runs(const sparse::TriangleView<Ordinal, Offset>& pattern, Ordinal near) {
  std::vector<Ordinal> begins;
  for (Ordinal row = 0; row < pattern.rows; ++row) {
    const Offset diagonal = pattern.diagonal[row];
    const bool goes_on = diagonal > pattern.row_map[row] && pattern.entries[diagonal - 1] >= row - near;
    if (!goes_on) begins.push_back(row);
  }
  return begins;
}

/// Where what is claimed together begins, by so many threads; empty where rows are claimed one by one.
template <class Ordinal, class Offset>
std::vector<Ordinal> choose_claims(const sparse::TriangleView<Ordinal, Offset>& pattern, std::size_t entries,
                                   std::size_t threads) {
  if (threads < 2) return {};
  const auto rows = static_cast<std::size_t>(pattern.rows);
  const bool are_short = entries <= RunTuning::entries_of_short_row * rows;
  auto begins = find_runs(pattern, static_cast<Ordinal>(are_short ? RunTuning::short_rows_before : 1));
  const bool are_runs_short = RunTuning::rows_of_run * begins.size() > rows;
  const bool are_runs_few = begins.size() < RunTuning::runs_of_thread * threads;
  if (are_runs_short || (are_runs_few && entries >= RunTuning::entries_of_long_row * rows)) return {};
  return begins;
}

/// Where each begins, and the number of rows. Empty where rows are better claimed one by one, and on devices. Waits for
/// the space of a host.
template <class Ordinal, class Offset, class Space>
Kokkos::View<const Ordinal*, parallel::Device<Space>> find_claim_runs(
    const Space& space, const MergedPattern<Ordinal, Offset, Space>& matrix) {
  if constexpr (parallel::is_host_space<Space>) {
    space.fence("terrace::incomplete::find_claim_runs");
    auto run_map =
        choose_claims(matrix.view(), matrix.entries.extent(0), static_cast<std::size_t>(space.concurrency()));
    if (run_map.empty()) return {};
    run_map.push_back(matrix.count);
    return parallel::from_host_vector(space, "terrace::incomplete::run_map", run_map);
  } else {
    static_cast<void>(space);
    static_cast<void>(matrix);
    return {};
  }
}

}  // namespace terrace::incomplete
