// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An elimination in three steps, with the drivers of the triangular solves: a plan for the pattern, a workspace for the
// factor, and the elimination itself, which is enqueued.
//
// The generic way for any space; a backend with an engine of its own overloads all three for its space and its plan
// (backends/dispatch.hpp). A plan has describe(info).
#pragma once

#include "algorithms/incomplete/elimination.hpp"
#include "algorithms/incomplete/row_schedule.hpp"

namespace terrace::incomplete {

/// The flags and the counter of rows that wait for one another.
template <class Space>
struct WaitingRoom {
  Kokkos::View<unsigned*, analysis::Device<Space>> finished;
  Kokkos::View<triangular::WorkCounter*, analysis::Device<Space>> counter;

  std::size_t bytes_held() const {
    return finished.span() * sizeof(unsigned) + counter.span() * sizeof(triangular::WorkCounter);
  }
};

template <class Ordinal, class Offset, class Space>
RowSchedule<Ordinal, Offset, Space> plan_elimination(const Space& space,
                                                     const MergedPattern<Ordinal, Offset, Space>& merged,
                                                     const IluSymbolicOptions& options,
                                                     const KnownTriangle<Ordinal, Offset, Space>& lower,
                                                     const KnownTriangle<Ordinal, Offset, Space>&) {
  return ScheduleMaker<Ordinal, Offset, Space>(space, merged, options, lower).make();
}

template <class Scalar, class Ordinal, class Offset, class Space>
WaitingRoom<Space> make_workspace(const Space& space, const MergedPattern<Ordinal, Offset, Space>&,
                                  const RowSchedule<Ordinal, Offset, Space>& schedule) {
  if (schedule.algorithm != Algorithm::SyncFreeRows) return {};
  return {analysis::zeros<unsigned>(space, "terrace::incomplete::finished", schedule.tasks.tasks()),
          analysis::zeros<triangular::WorkCounter>(space, "terrace::incomplete::counter", 1)};
}

/// Forgets what was found of pivots before, and eliminates.
template <class Space, class Elimination, class Ordinal, class Offset>
void eliminate_rows(const Space& space, Elimination elimination, const RowSchedule<Ordinal, Offset, Space>& schedule,
                    const WaitingRoom<Space>& waiting) {
  forget_pivots(space, elimination.pivots.first, elimination.lines.lines);
  elimination.changes_only_pivots = schedule.only_pivots_change && elimination.relaxation == 0;
  switch (schedule.algorithm) {
    case Algorithm::SyncFreeRows:
      triangular::solve_rows_sync_free(space, elimination, schedule.for_kernels(), waiting.finished.data(),
                                       waiting.counter.data());
      break;
    case Algorithm::LevelScheduled: {
      const auto& levels = schedule.tasks.by_level;
      const triangular::LevelSolve<Ordinal, Offset> walk{schedule.for_kernels(), levels.level_offsets.data(),
                                                         &levels.offsets, &schedule.chains};
      triangular::gather_by_levels(space, elimination, walk);
      break;
    }
    default: triangular::gather_sequentially(space, elimination, false);
  }
}

}  // namespace terrace::incomplete
