// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Level-scheduled substitution (Naumov, NVR-2011-001, algorithm 2 and section 3).
//
// All tasks of a level are independent, so a level is a parallel loop, and between two levels stands a barrier. On a
// device a wide level is one kernel; a run of narrow ones, a chain, shares a kernel in which one team walks its levels
// with a team barrier between them. Host threads walk all levels in one kernel and meet between them. Walked against
// the order and scattering instead of gathering, the same schedule solves the transposed system: rows that no
// other needs come first.
//
// Where a device has no engines of its own, lanes share the rows that are gathered and long (row_lanes.hpp).
//
// Deterministic when gathering: each sum is taken in the order of its row, or lane by lane. Not when scattering.
#pragma once

#include <vector>

#include "algorithms/triangular/row_kernels.hpp"
#include "algorithms/triangular/row_lanes.hpp"
#include "algorithms/triangular/tasks.hpp"
#include "parallel/functor_as_argument.hpp"
#include "parallel/host_team.hpp"
#include "parallel/team_size.hpp"

namespace terrace::triangular {

template <class System, class Space, bool Gather>
struct SolveLevels {
  using Ordinal = typename System::Ordinal;
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;

  System system;
  Tasks<Ordinal, typename System::Offset> tasks;
  const Ordinal* level_offsets;
  Chain<Ordinal> chain;

  KOKKOS_FUNCTION void solve_task(Ordinal place) const {
    if constexpr (Gather) tasks.gather(system, place);
    else
      tasks.for_each_row(
          place, true, [&](Ordinal row, Ordinal unknown) { system.template scatter_all_columns<true>(row, unknown); });
  }

  KOKKOS_FUNCTION void operator()(Ordinal place) const { solve_task(place); }

  KOKKOS_FUNCTION Ordinal level_of(Ordinal step) const { return Gather ? chain.first + step : chain.last - 1 - step; }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for (Ordinal step = 0; step < chain.last - chain.first; ++step) {
      const Ordinal level = level_of(step);
      using Place = std::make_unsigned_t<Ordinal>;  // the threads step beyond the last one
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<Place>(level_offsets[level]),
                                                   static_cast<Place>(level_offsets[level + 1])),
                           [&](Place place) { solve_task(static_cast<Ordinal>(place)); });
      team.team_barrier();
    }
  }

  /// The same on a host (parallel/host_team.hpp).
  bool begin(unsigned step) const { return static_cast<Ordinal>(step) < chain.last - chain.first; }
  void work(unsigned step, unsigned rank, unsigned members) const {
    const Ordinal level = level_of(static_cast<Ordinal>(step));
    const parallel::Part<Ordinal> mine(level_offsets[level], level_offsets[level + 1], rank, members);
    if constexpr (Gather) tasks.gather_range(system, mine.begin, mine.end);
    else
      for (Ordinal place = mine.begin; place < mine.end; ++place) solve_task(place);
  }
};

template <bool Gather, class Space, class System, class Ordinal, class Offset>
void enqueue_chain(const Space& space, const System& system, const LevelSolve<Ordinal, Offset>& solve,
                   const Chain<Ordinal>& chain) {
  const SolveLevels<System, Space, Gather> kernel{system, solve.tasks, solve.level_offsets, chain};
  if constexpr (parallel::is_host_space<Space>) {
    parallel::walk_together(space, System::names.chain, kernel, solve.patience);
  } else if (gathers_by_lanes<Gather, Space, System>(chain)) {
    if constexpr (has_lanes<Gather, Space, System>) gather_by_lanes(space, system, solve, chain);
  } else if (chain.is_narrow) {
    const auto one_team = parallel::one_team<Kokkos::TeamPolicy<Space>>(space, parallel::chain_team_size);
    Kokkos::parallel_for(System::names.chain, parallel::functor_as_argument(one_team), kernel);
  } else {
    const auto& offsets = *solve.host_level_offsets;
    const Kokkos::RangePolicy<Space> each_task(space, offsets[chain.first], offsets[chain.last]);
    Kokkos::parallel_for(System::names.level, parallel::functor_as_argument(each_task), kernel);
  }
}

template <class Space, class System, class Ordinal, class Offset>
void gather_by_levels(const Space& space, const System& system, const LevelSolve<Ordinal, Offset>& solve) {
  for (const auto& chain : *solve.chains) enqueue_chain<true>(space, system, solve, chain);
}

template <class Space, class System, class Ordinal, class Offset>
void solve_by_levels(const Space& space, const System& system, const LevelSolve<Ordinal, Offset>& solve, bool gather) {
  if (gather) return gather_by_levels(space, system, solve);
  if (system.b.data != system.x.data)
    Kokkos::parallel_for("terrace::triangular::copy_right_hand_side",
                         Kokkos::RangePolicy<Space>(space, 0, system.pattern.rows), CopyRightHandSide<System>{system});
  for (auto chain = solve.chains->rbegin(); chain != solve.chains->rend(); ++chain)
    enqueue_chain<false>(space, system, solve, *chain);
}

}  // namespace terrace::triangular
