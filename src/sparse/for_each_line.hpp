// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits every line of a compressed matrix: on a host by a thread each; on a device by about as many neighbouring
// threads as a line has entries, because neighbours should read neighbouring entries, and long lines by a team: a
// graph's hub may hold a tenth of all entries, and a few threads would walk it while all others are done.
//
// `Walk` walks a line alone, walk(line), or entry by entry: walk.begin(line) to walk.end(line) in any order through
// walk.entry(line, k), and walk.finish(line) once, before, between or behind them.
#pragma once

#include "parallel/index_arithmetic.hpp"
#include "parallel/team_size.hpp"

namespace terrace::sparse {

template <class Ordinal, class Walk>
struct WalkByLanes {
  static constexpr int long_line = 16;  // entries for each lane

  Walk walk;
  int log2_lanes;
  int* has_long_lines;

  KOKKOS_FUNCTION bool is_long(Ordinal line) const {
    return walk.end(line) - walk.begin(line) > static_cast<decltype(walk.end(line))>(long_line << log2_lanes);
  }

  KOKKOS_FUNCTION void operator()(std::size_t thread) const {
    const auto line = static_cast<Ordinal>(thread >> log2_lanes);
    const int part = static_cast<int>(thread) & ((1 << log2_lanes) - 1);
    if (part == 0) walk.finish(line);
    if (is_long(line)) *has_long_lines = 1;
    else
      parallel::for_entries_of_lane(walk.begin(line), walk.end(line), part, 1 << log2_lanes,
                                    [&](auto k) { walk.entry(line, k); });
  }
};

/// The long lines, if there are any. Each team looks through some neighbouring lines at a time, as many as it has
/// threads or fewer where there are not many: long lines come together.
template <class Space, class Ordinal, class Walk>
struct WalkLongLines {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;

  WalkByLanes<Ordinal, Walk> by_lanes;
  Ordinal lines;
  Ordinal lines_at_once;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (*by_lanes.has_long_lines == 0) return;
    const Ordinal size = lines_at_once, step = team.league_size() * size;
    for (Ordinal first = team.league_rank() * size; first < lines; first = first < lines - step ? first + step : lines)
      walk(team, first, lines - first < size ? lines - first : size);
  }

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int team_size) { return static_cast<std::size_t>(team_size); }

  /// Which lines are long is looked up side by side: to read the line map line by line takes longer than all the rest.
  KOKKOS_FUNCTION void walk(const Team& team, Ordinal first, Ordinal count) const {
    auto* is_long = static_cast<unsigned char*>(team.team_scratch(0).get_shmem(scratch_bytes(team.team_size())));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](Ordinal place) { is_long[place] = by_lanes.is_long(first + place); });
    team.team_barrier();
    for (Ordinal place = 0; place < count; ++place) {
      if (!is_long[place]) continue;
      const Ordinal line = first + place;
      const auto begin = by_lanes.walk.begin(line);
      using Offset = std::remove_const_t<decltype(begin)>;
      const auto length = static_cast<std::make_unsigned_t<Offset>>(by_lanes.walk.end(line) - begin);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, length),
                           [&](auto k) { by_lanes.walk.entry(line, begin + static_cast<Offset>(k)); });
    }
    team.team_barrier();
  }
};

struct ForgetLongLines {
  int* has_long_lines;
  KOKKOS_FUNCTION void operator()(int) const { *has_long_lines = 0; }
};

/// Enqueues the walk over lines of `entries` entries in all. `scratch` is one number that nobody else uses meanwhile,
/// and zero; afterwards it says whether there was a long line. Who knows that there is none saves a kernel.
template <class Space, class Ordinal, class Walk>
void for_each_line_from_zero(const Space& space, const char* label, Ordinal lines, std::size_t entries, int* scratch,
                             const Walk& walk, bool may_have_long_lines = true) {
  if constexpr (parallel::is_host_space<Space>) {
    Kokkos::parallel_for(label, parallel::each_line_balanced(space, lines), walk);
  } else {
    int log2_lanes = 0;
    while (log2_lanes < 5 && (static_cast<std::size_t>(lines) << (log2_lanes + 1)) <= entries) ++log2_lanes;
    const WalkByLanes<Ordinal, Walk> by_lanes{walk, log2_lanes, scratch};
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(
                             space, 0, static_cast<std::size_t>(lines) << log2_lanes),
                         by_lanes);
    if (!may_have_long_lines) return;
    constexpr int teams = 1024, team_size = 256;
    Kokkos::TeamPolicy<Space> policy(space, teams, team_size);
    using LongLines = WalkLongLines<Space, Ordinal, Walk>;
    policy.set_scratch_size(0, Kokkos::PerTeam(LongLines::scratch_bytes(team_size)));
    policy.set_scratch_size(1, Kokkos::PerTeam(16));  // as in one_team
    const auto at_once = static_cast<Ordinal>(Kokkos::clamp(lines / teams + 1, Ordinal(1), Ordinal(team_size)));
    Kokkos::parallel_for(label, policy, LongLines{by_lanes, lines, at_once});
  }
}

/// The same, whatever `scratch` was.
template <class Space, class Ordinal, class Walk>
void for_each_line(const Space& space, const char* label, Ordinal lines, std::size_t entries, int* scratch,
                   const Walk& walk, bool may_have_long_lines = true) {
  if constexpr (!parallel::is_host_space<Space>)
    if (may_have_long_lines)
      Kokkos::parallel_for("terrace::sparse::forget_long_lines", Kokkos::RangePolicy<Space>(space, 0, 1),
                           ForgetLongLines{scratch});
  for_each_line_from_zero(space, label, lines, entries, scratch, walk, may_have_long_lines);
}

}  // namespace terrace::sparse
