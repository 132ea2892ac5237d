// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits every row of a compressed matrix: on a host by a thread each; on a device by about as many neighbouring
// threads as a row has entries, because neighbours should read neighbouring entries, and long rows by a team: a
// graph's hub may hold a tenth of all entries, and a few threads would walk it while all others are done.
//
// `Walk` walks a row alone, walk(row), or entry by entry: walk.begin(row) to walk.end(row) in any order through
// walk.entry(row, k), and walk.finish(row) once, before, between or behind them.
#pragma once

#include <utility>

#include "parallel/index_arithmetic.hpp"
#include "parallel/loops.hpp"
#include "parallel/team_size.hpp"

namespace terrace::sparse {

/// Whether a row is too long for its lanes.
template <class Offset>
KOKKOS_INLINE_FUNCTION constexpr bool is_long_row(Offset length, int log2_lanes) {
  constexpr int entries_of_lane = 16;
  return length > static_cast<Offset>(entries_of_lane << log2_lanes);
}

template <class Ordinal, class Walk>
struct WalkByLanes {
  Walk walk;
  int log2_lanes;
  int* has_long_rows;

  KOKKOS_FUNCTION bool is_long(Ordinal row) const { return is_long_row(walk.end(row) - walk.begin(row), log2_lanes); }

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

/// The long rows, if there are any. Teams come in groups: those of a group look through the same rows, list the long
/// ones that they take a part in, and then walk them. A long row is cut into pieces, and neighbouring pieces belong to
/// different parts of the group's teams, for one hub may be most of the work, and a part reads one entry after the
/// other. Long rows often are neighbours, therefore neighbouring rows belong to different groups, but for runs of them
/// whose ends are read from memory together; or powers of two apart, as the hubs of recursive models are, therefore
/// they are given to groups in another order each time.
template <class Space, class Ordinal, class Walk>
struct WalkLongRows {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  static constexpr int groups = 128, teams_of_group = 8, team_size = 256, rows_of_run = 8;
  static constexpr int runs_at_once = team_size / rows_of_run;
  static constexpr int threads_of_part = 32, parts_of_group = teams_of_group * team_size / threads_of_part;
  static constexpr int entries_of_piece = 4 * threads_of_part;

  WalkByLanes<Ordinal, Walk> by_lanes;
  Ordinal rows;

  /// A team looks at as many rows of its group at a time as it has threads: to read the row map row by row takes longer
  /// than all the rest.
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (*by_lanes.has_long_rows == 0) return;
    auto* const found = static_cast<Found*>(team.team_scratch(0).get_shmem_aligned(sizeof(Found), alignof(Found)));
    const auto forget = [&] {
      if (team.team_rank() == 0) found->count = 0;
      team.team_barrier();
    };
    const Ordinal group = team.league_rank() / teams_of_group;
    const Ordinal runs = parallel::divide_up(rows, Ordinal(rows_of_run));
    const Ordinal turns = parallel::divide_up(runs, Ordinal(groups));
    forget();
    for (Ordinal first = 0; first < turns; first += runs_at_once) {
      const Ordinal turn = first + team.team_rank() / rows_of_run;
      const Ordinal run = turn * groups + (group + scatter(turn) % groups) % groups;
      if (turn < turns && run < runs) {
        const Ordinal before = run * rows_of_run, place = team.team_rank() % rows_of_run;
        if (place < rows - before) list_if_long(before + place, team, *found);
      }
      team.team_barrier();
      const bool is_last = turns - first <= runs_at_once;
      const bool walks = is_last || found->count > most_listed - team_size;
      for (int k = 0; walks && k < found->count; ++k) walk(found->rows[k], team);
      team.team_barrier();
      if (walks) forget();
    }
  }

  static std::size_t scratch_bytes() { return sizeof(Found) + alignof(Found); }

 private:
  using Offset = decltype(std::declval<const Walk&>().begin(Ordinal()));
  static constexpr int parts_of_team = parts_of_group / teams_of_group, most_listed = 3 * team_size;

  /// A long row with what is known of it, so that whoever has nothing to do with it reads no memory.
  struct LongRow {
    Offset begin, end;
    Ordinal row;
    int part;  ///< that takes its first piece
  };
  /// Those that the team takes a part in. In any order, which differs from team to team.
  struct Found {
    LongRow rows[most_listed];
    int count;
  };

  KOKKOS_FUNCTION void list_if_long(Ordinal row, const Team& team, Found& found) const {
    const LongRow of{by_lanes.walk.begin(row), by_lanes.walk.end(row), row, part_of(row)};
    if (!is_long_row(of.end - of.begin, by_lanes.log2_lanes)) return;
    // Pieces before the first that is the team's: none where a part of the team has the first of the row.
    const int before = parts_from(of.part, team.league_rank() % teams_of_group * parts_of_team);
    const bool has_first = before > parts_of_group - parts_of_team;
    if (!has_first && static_cast<Offset>(before) * entries_of_piece >= of.end - of.begin) return;
    found.rows[Kokkos::atomic_fetch_add(&found.count, 1)] = of;
  }

  /// Of its group.
  KOKKOS_FUNCTION static int part_of(Ordinal row) {
    const unsigned turn = scatter(row / (rows_of_run * groups)) / groups;
    return static_cast<int>((turn + static_cast<unsigned>(row % rows_of_run)) % parts_of_group);
  }
  /// Of numbers that have something in common, numbers that have not (the multiplier is Knuth's).
  KOKKOS_FUNCTION static unsigned scatter(Ordinal number) { return static_cast<unsigned>(number) * 2654435761u >> 16; }
  /// How many parts behind one another is, where the first follows the last.
  KOKKOS_FUNCTION static int parts_from(int one, int another) {
    return (another - one + parts_of_group) % parts_of_group;
  }

  KOKKOS_FUNCTION void walk(const LongRow& of, const Team& team) const {
    const int part = team.league_rank() % teams_of_group * parts_of_team + team.team_rank() / threads_of_part;
    constexpr Offset in_turn = static_cast<Offset>(parts_of_group) * entries_of_piece;
    const Offset length = of.end - of.begin;
    for (Offset first = static_cast<Offset>(parts_from(of.part, part)) * entries_of_piece; first < length;
         first += in_turn) {
      const Offset end = length - first < entries_of_piece ? length : first + entries_of_piece;
      parallel::for_entries_of_lane(of.begin + first, of.begin + end, team.team_rank() % threads_of_part,
                                    threads_of_part, [&](auto k) { by_lanes.walk.entry(of.row, k); });
      if (length - first <= in_turn) return;  // an offset may have no room for more
    }
  }
};

struct ForgetLongRows {
  int* has_long_rows;
  KOKKOS_FUNCTION void operator()(int) const { *has_long_rows = 0; }
};

/// About as many lanes as a row has entries.
inline int log2_lanes_of(std::size_t rows, std::size_t entries) {
  int log2_lanes = 0;
  while (log2_lanes < 5 && (rows << (log2_lanes + 1)) <= entries) ++log2_lanes;
  return log2_lanes;
}

/// On a device: the long rows alone, after a walk over the others that has left in `scratch` whether there are any.
template <class Space, class Ordinal, class Walk>
void for_each_long_row(const Space& space, const char* label, Ordinal rows, std::size_t entries, int* scratch,
                       const Walk& walk) {
  using LongRows = WalkLongRows<Space, Ordinal, Walk>;
  Kokkos::TeamPolicy<Space> policy(space, LongRows::groups * LongRows::teams_of_group, LongRows::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(LongRows::scratch_bytes()));
  policy.set_scratch_size(1, Kokkos::PerTeam(16));  // as in one_team
  const int log2_lanes = log2_lanes_of(static_cast<std::size_t>(rows), entries);
  Kokkos::parallel_for(label, policy, LongRows{{walk, log2_lanes, scratch}, rows});
}

/// Enqueues the walk over rows of `entries` entries in all. `scratch` is one number that nobody else uses meanwhile,
/// and zero; afterwards it says whether there was a long row. A caller that knows of none saves a kernel.
template <class Space, class Ordinal, class Walk>
void for_each_row_from_zero(const Space& space, const char* label, Ordinal rows, std::size_t entries, int* scratch,
                            const Walk& walk, bool may_have_long_rows = true) {
  if constexpr (parallel::is_host_space<Space>) {
    parallel::for_range(label, parallel::each_row_balanced(space, rows), walk);
  } else {
    const int log2_lanes = log2_lanes_of(static_cast<std::size_t>(rows), entries);
    const WalkByLanes<Ordinal, Walk> by_lanes{walk, log2_lanes, scratch};
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(
                             space, 0, static_cast<std::size_t>(rows) << log2_lanes),
                         by_lanes);
    if (may_have_long_rows) for_each_long_row(space, label, rows, entries, scratch, walk);
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
