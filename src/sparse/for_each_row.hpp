// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits every row of a compressed matrix: on a host by a thread each; on a device by about as many neighbouring
// threads as a row has entries, because neighbours should read neighbouring entries, and long rows by a team: a
// graph's hub may hold a tenth of all entries, and a few threads would walk it while all others are done.
//
// `Walk` walks a row alone, walk(row), or entry by entry: walk.begin(row) to walk.end(row) in any order through
// walk.entry(row, k), and walk.finish(row) once, before, between or behind them.
#pragma once

#include "parallel/index_arithmetic.hpp"
#include "parallel/team_size.hpp"

namespace terrace::sparse {

template <class Ordinal, class Walk>
struct WalkByLanes {
  static constexpr int long_row = 16;  // entries for each lane

  Walk walk;
  int log2_lanes;
  int* has_long_rows;

  KOKKOS_FUNCTION bool is_long(Ordinal row) const {
    return walk.end(row) - walk.begin(row) > static_cast<decltype(walk.end(row))>(long_row << log2_lanes);
  }

  KOKKOS_FUNCTION void operator()(std::size_t thread) const {
    const auto row = static_cast<Ordinal>(thread >> log2_lanes);
    const int part = static_cast<int>(thread) & ((1 << log2_lanes) - 1);
    if (part == 0) walk.finish(row);
    if (is_long(row)) *has_long_rows = 1;
    else
      parallel::for_entries_of_lane(walk.begin(row), walk.end(row), part, 1 << log2_lanes,
                                    [&](auto k) { walk.entry(row, k); });
  }
};

/// The long rows, if there are any. Each team looks through some neighbouring rows at a time, as many as it has
/// threads or fewer where there are not many: long rows come together.
template <class Space, class Ordinal, class Walk>
struct WalkLongRows {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;

  WalkByLanes<Ordinal, Walk> by_lanes;
  Ordinal rows;
  Ordinal rows_at_once;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (*by_lanes.has_long_rows == 0) return;
    const Ordinal size = rows_at_once, step = team.league_size() * size;
    auto* const is_long = static_cast<unsigned char*>(team.team_scratch(0).get_shmem(scratch_bytes(team.team_size())));
    for (Ordinal first = team.league_rank() * size; first < rows; first = first < rows - step ? first + step : rows)
      walk(team, is_long, first, rows - first < size ? rows - first : size);
  }

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int team_size) { return static_cast<std::size_t>(team_size); }

  /// Which rows are long is looked up side by side: to read the row map row by row takes longer than all the rest.
  /// In scratch memory, which is asked for once: it would not be there a second time.
  KOKKOS_FUNCTION void walk(const Team& team, unsigned char* is_long, Ordinal first, Ordinal count) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](Ordinal place) { is_long[place] = by_lanes.is_long(first + place); });
    team.team_barrier();
    for (Ordinal place = 0; place < count; ++place) {
      if (!is_long[place]) continue;
      const Ordinal row = first + place;
      const auto begin = by_lanes.walk.begin(row);
      using Offset = std::remove_const_t<decltype(begin)>;
      const auto length = static_cast<std::make_unsigned_t<Offset>>(by_lanes.walk.end(row) - begin);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, length),
                           [&](auto k) { by_lanes.walk.entry(row, begin + static_cast<Offset>(k)); });
    }
    team.team_barrier();
  }
};

struct ForgetLongRows {
  int* has_long_rows;
  KOKKOS_FUNCTION void operator()(int) const { *has_long_rows = 0; }
};

/// Enqueues the walk over rows of `entries` entries in all. `scratch` is one number that nobody else uses meanwhile,
/// and zero; afterwards it says whether there was a long row. A caller that knows of none saves a kernel.
template <class Space, class Ordinal, class Walk>
void for_each_row_from_zero(const Space& space, const char* label, Ordinal rows, std::size_t entries, int* scratch,
                            const Walk& walk, bool may_have_long_rows = true) {
  if constexpr (parallel::is_host_space<Space>) {
    Kokkos::parallel_for(label, parallel::each_row_balanced(space, rows), walk);
  } else {
    int log2_lanes = 0;
    while (log2_lanes < 5 && (static_cast<std::size_t>(rows) << (log2_lanes + 1)) <= entries) ++log2_lanes;
    const WalkByLanes<Ordinal, Walk> by_lanes{walk, log2_lanes, scratch};
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(
                             space, 0, static_cast<std::size_t>(rows) << log2_lanes),
                         by_lanes);
    if (!may_have_long_rows) return;
    constexpr int teams = 1024, team_size = 256;
    Kokkos::TeamPolicy<Space> policy(space, teams, team_size);
    using LongRows = WalkLongRows<Space, Ordinal, Walk>;
    policy.set_scratch_size(0, Kokkos::PerTeam(LongRows::scratch_bytes(team_size)));
    policy.set_scratch_size(1, Kokkos::PerTeam(16));  // as in one_team
    const auto at_once = static_cast<Ordinal>(Kokkos::clamp(rows / teams + 1, Ordinal(1), Ordinal(team_size)));
    Kokkos::parallel_for(label, policy, LongRows{by_lanes, rows, at_once});
  }
}

/// The same, whatever `scratch` was.
template <class Space, class Ordinal, class Walk>
void for_each_row(const Space& space, const char* label, Ordinal rows, std::size_t entries, int* scratch,
                  const Walk& walk, bool may_have_long_rows = true) {
  if constexpr (!parallel::is_host_space<Space>)
    if (may_have_long_rows)
      Kokkos::parallel_for("terrace::sparse::forget_long_rows", Kokkos::RangePolicy<Space>(space, 0, 1),
                           ForgetLongRows{scratch});
  for_each_row_from_zero(space, label, rows, entries, scratch, walk, may_have_long_rows);
}

}  // namespace terrace::sparse
