// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that is claimed from a counter, in dependency order.
//
// A thread that is free takes the next number. The smallest number not yet finished needs only smaller ones, all of
// which are finished, so its owner never waits; and its owner is running, because it claimed the number by running. So
// the solve ends whatever the scheduler does: blocks that start late or never, more threads than
// cores, one resident block. Nothing is bound to a block or thread number.
//
// The last worker to leave resets the counter and flips the phase, so the next solve needs no preparation, and a
// captured solve can be replayed.
#pragma once

#include <algorithm>

#include "backends/waiting.hpp"
#include "parallel/concurrency.hpp"

namespace terrace::triangular {

struct WorkCounter {
  unsigned next;     // the next number to claim
  unsigned retired;  // workers that found no more work
  unsigned phase;    // 0 or 1: the value that marks what the solve before this one finished

  KOKKOS_FUNCTION static unsigned finished_mark(const WorkCounter& counter) { return counter.phase ^ 1u; }

  KOKKOS_FUNCTION static void retire(WorkCounter& counter, unsigned workers) {
    if (parallel::fetch_increment(counter.retired) + 1 != workers) return;
    parallel::release_store(counter.next, 0u);
    parallel::release_store(counter.retired, 0u);
    parallel::release_store(counter.phase, counter.phase ^ 1u);
  }
};

/// Consecutive numbers that one claim takes: a host's threads would fight over the counter for every row.
template <class Space>
inline constexpr unsigned rows_per_claim = parallel::is_host_space<Space> ? 64 : 1;

/// As many workers as can run at once, where they may wait for each other; fewer when there is less work.
template <class Space>
unsigned number_of_workers(const Space& space, std::size_t pieces_of_work) {
  const auto most = parallel::running_threads_get_on<Space> ? static_cast<std::size_t>(space.concurrency()) : 1;
  return static_cast<unsigned>(std::min<std::size_t>(most, pieces_of_work));
}

}  // namespace terrace::triangular
