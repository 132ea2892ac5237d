// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits every line of a compressed matrix: short lines by one thread each, long ones by a team.
//
// A graph's hub may hold a tenth of all entries, and on a device one thread would walk them while all others are done.
// `Walk` walks a line alone, walk(line), or with a team, walk.share(team, line); walk.length(line) says how long it is.
#pragma once

#include "algorithms/analysis/team_size.hpp"

namespace terrace::analysis {

template <class Space, class Ordinal, class Walk>
struct WalkLines {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  static constexpr int long_line = 128;

  Walk walk;
  Ordinal lines;

  KOKKOS_FUNCTION bool is_long(Ordinal line) const {
    return line < lines && walk.length(line) > static_cast<decltype(walk.length(line))>(long_line);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Ordinal first = static_cast<Ordinal>(team.league_rank()) * static_cast<Ordinal>(team.team_size());
    const Ordinal mine = first + static_cast<Ordinal>(team.team_rank());
    if (mine < lines && !is_long(mine)) walk(mine);
    int long_lines = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, team.team_size()),
        [&](int place, int& sum) { sum += is_long(first + static_cast<Ordinal>(place)) ? 1 : 0; }, long_lines);
    for (int place = 0; long_lines > 0; ++place) {
      if (!is_long(first + static_cast<Ordinal>(place))) continue;
      walk.share(team, first + static_cast<Ordinal>(place));
      --long_lines;
    }
  }
};

/// Enqueues the walk. On a host threads take lines in handfuls.
template <class Space, class Ordinal, class Walk>
void for_each_line(const Space& space, const char* label, Ordinal lines, const Walk& walk) {
  if constexpr (is_host_space<Space>) {
    Kokkos::parallel_for(label, each_line_balanced(space, lines), walk);
  } else {
    constexpr int team_size = 128;
    Kokkos::TeamPolicy<Space> policy(space, static_cast<int>((lines + team_size - 1) / team_size), team_size);
    policy.set_scratch_size(1, Kokkos::PerTeam(16));  // as in one_team
    Kokkos::parallel_for(label, policy, WalkLines<Space, Ordinal, Walk>{walk, lines});
  }
}

}  // namespace terrace::analysis
