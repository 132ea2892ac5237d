// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Level-scheduled substitution in which lanes share the products of a row.
//
// One thread walks a row of a hundred entries in a hundred steps, each of which waits for memory, and neighbouring
// threads read far apart. So each thread of a team has as many vector lanes as suit the mean row of its levels, which
// take the products side by side. Rows that are far longer than that are listed, and the whole team takes them
// afterwards, one after the other.
//
// The sums have the association of the lanes, which the pattern alone decides: a row that one thread takes has other
// bits, but a solve that is repeated has the same.
#pragma once

#include "algorithms/triangular/level_chains.hpp"
#include "algorithms/triangular/row_kernels.hpp"
#include "parallel/functor_as_argument.hpp"
#include "parallel/index_arithmetic.hpp"

namespace terrace::triangular {

struct LaneTuning {
  static constexpr int threads = parallel::chain_team_size;  // of a team, all lanes counted
  static constexpr int most_lanes = 32;
  static constexpr int short_row = 8;          // where the mean row is shorter, one thread takes each
  static constexpr int entries_for_lane = 32;  // of the longest row that is not long

  template <class Space>
  static int at_most(int lanes) {
    const int most = std::min(most_lanes, Kokkos::TeamPolicy<Space>::vector_length_max());
    int allowed = 1;
    while (2 * allowed <= std::min(lanes, most)) allowed *= 2;
    return allowed;
  }

  /// A power of two, about half of the entries of the mean row.
  template <class Space>
  static int lanes(std::int64_t entries, std::int64_t rows) {
    if (entries < short_row * rows) return 1;
    return at_most<Space>(static_cast<int>(std::min<std::int64_t>(entries / (2 * rows), most_lanes)));
  }

  /// Where lengths differ much the mean says little, and a team shall not have many long rows to take.
  template <class Space>
  static int fewest_beside_long_rows() {
    return at_most<Space>(4);
  }

  /// Whether a whole team takes a row of a level of `width` rows. In a level of one row it has nothing else to do.
  KOKKOS_FUNCTION static bool is_long(std::int64_t length, int lanes, std::int64_t width) {
    return length > static_cast<std::int64_t>(width == 1 ? entries_for_lane / 2 : entries_for_lane) * lanes;
  }
};

/// Backends with engines of their own have other ways with long rows.
template <class Space>
inline constexpr bool rows_have_lanes = !parallel::is_host_space<Space> && !parallel::has_tuned_engines<Space>;

/// The vector lanes of one thread.
template <class Team>
struct LanesOfThread {
  const Team& team;

  /// term(0) + ... + term(count - 1). All lanes have it.
  template <class Scalar, class Count, class Term>
  KOKKOS_FUNCTION Scalar sum(Count count, const Term& term) const {
    using Place = std::make_unsigned_t<Count>;  // the lanes step beyond the last one
    Scalar result(0);
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, static_cast<Place>(count)),
        [&](Place k, Scalar& part) { part += term(static_cast<Count>(k)); }, Kokkos::Sum<Scalar>(result));
    return result;
  }

  template <class Work>
  KOKKOS_FUNCTION void by_one(const Work& work) const {
    Kokkos::single(Kokkos::PerThread(team), work);
  }
};

/// All lanes of all threads of a team. They come together for a sum.
template <class Team>
struct LanesOfTeam {
  const Team& team;

  template <class Scalar, class Count, class Term>
  KOKKOS_FUNCTION Scalar sum(Count count, const Term& term) const {
    using Place = std::make_unsigned_t<Count>;
    Scalar result(0);
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, static_cast<Place>(count)),
        [&](Place k, Scalar& part) { part += term(static_cast<Count>(k)); }, Kokkos::Sum<Scalar>(result));
    return result;
  }

  template <class Work>
  KOKKOS_FUNCTION void by_one(const Work& work) const {
    Kokkos::single(Kokkos::PerTeam(team), work);
  }
};

/// Rows in level order, so that place and row agree.
template <class System, class Space>
struct GatherByLanes {
  using Ordinal = typename System::Ordinal;
  using Offset = typename System::Offset;
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  using Place = std::make_unsigned_t<Ordinal>;  // the threads step beyond the last one

  System system;
  const Ordinal* order;
  const Ordinal* level_offsets;
  const Offset* longest_rows;
  Chain<Ordinal> chain;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    LongRows* const found = chain.has_long_rows ? take_list(team) : nullptr;
    if (!chain.is_narrow) return solve_part(team, chain.first, found);
    for (Ordinal level = chain.first; level < chain.last; ++level) {
      solve_rows(team, level, static_cast<Place>(level_offsets[level]), static_cast<Place>(level_offsets[level + 1]),
                 found);
      team.team_barrier();
    }
  }

  static std::size_t scratch_bytes() { return sizeof(LongRows) + alignof(LongRows); }

 private:
  /// That a team has come upon, in any order.
  struct LongRows {
    Place rows[LaneTuning::threads];
    int count;
  };

  /// Once for each team: scratch memory that was taken is not given back.
  KOKKOS_FUNCTION static LongRows* take_list(const Team& team) {
    return static_cast<LongRows*>(team.team_scratch(0).get_shmem_aligned(sizeof(LongRows), alignof(LongRows)));
  }

  /// The rows of a wide level that are this team's, one for each thread.
  KOKKOS_FUNCTION void solve_part(const Team& team, Ordinal level, LongRows* found) const {
    const auto end = static_cast<Place>(level_offsets[level + 1]);
    const Place size = static_cast<Place>(team.team_size());
    const Place first = static_cast<Place>(level_offsets[level]) + static_cast<Place>(team.league_rank()) * size;
    solve_rows(team, level, first, end - first < size ? end : first + size, found);
  }

  /// Every thread meets all barriers: the ends of the loops and the branches around them are the same for the team.
  KOKKOS_FUNCTION void solve_rows(const Team& team, Ordinal level, Place first, Place last, LongRows* found) const {
    const std::int64_t width = level_offsets[level + 1] - level_offsets[level];
    const auto is_long = [&](Offset length) {
      return LaneTuning::is_long(static_cast<std::int64_t>(length), chain.lanes, width);
    };
    const auto size = static_cast<Place>(team.team_size()), rank = static_cast<Place>(team.team_rank());
    if (!found || !is_long(longest_rows[level])) {
      for (Place place = first + rank; place < last; place += size) solve(LanesOfThread<Team>{team}, place);
      return;
    }
    for (Place from = first; from < last; from += size) {
      team.team_barrier();  // nobody reads the list of the rows before these any more
      Kokkos::single(Kokkos::PerTeam(team), [&] { found->count = 0; });
      team.team_barrier();
      const Place place = from + rank;
      if (place < last) {
        const auto row = static_cast<Ordinal>(place);
        if (is_long(system.pattern.end(row) - system.pattern.begin(row)))
          Kokkos::single(Kokkos::PerThread(team),
                         [&] { found->rows[Kokkos::atomic_fetch_add(&found->count, 1)] = place; });
        else solve(LanesOfThread<Team>{team}, place);
      }
      team.team_barrier();
      const int count = found->count;
      for (int k = 0; k < count; ++k) solve(LanesOfTeam<Team>{team}, found->rows[k]);
    }
  }

  template <class Lanes>
  KOKKOS_FUNCTION void solve(const Lanes& lanes, Place place) const {
    const auto row = static_cast<Ordinal>(place);
    system.with_diagonal_place([&](auto diagonal) { system.gather_by_lanes(diagonal, lanes, row, order[row]); });
  }
};

/// Enqueues a chain whose rows stand in level order. On a host each team is one thread.
template <class Space, class System, class Ordinal, class Offset>
void gather_by_lanes(const Space& space, const System& system, const LevelSolve<Ordinal, Offset>& solve,
                     const Chain<Ordinal>& chain) {
  using Kernel = GatherByLanes<System, Space>;
  const int lanes = parallel::is_host_space<Space> ? 1 : chain.lanes;
  const int threads = parallel::is_host_space<Space> ? 1 : LaneTuning::threads / lanes;
  const auto& offsets = *solve.host_level_offsets;
  const auto rows = static_cast<std::int64_t>(offsets[chain.last] - offsets[chain.first]);
  const auto teams = chain.is_narrow ? 1 : static_cast<int>(parallel::divide_up(rows, std::int64_t(threads)));
  Kokkos::TeamPolicy<Space> policy(space, teams, threads, lanes);
  policy.set_scratch_size(1, Kokkos::PerTeam(16));  // as in one_team
  if (chain.has_long_rows) policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Kernel::scratch_bytes())));
  Kokkos::parallel_for(chain.is_narrow ? System::names.chain : System::names.level,
                       parallel::functor_as_argument(policy),
                       Kernel{system, solve.tasks.order, solve.level_offsets, solve.longest_rows, chain});
}

template <bool Gather, class Space, class System>
inline constexpr bool has_lanes = Gather&& rows_have_lanes<Space>&& requires(const System& system,
                                                                             LanesOfTeam<int> lanes) {
  system.gather_by_lanes(Placed<DiagonalPlace::Last>(), lanes, typename System::Ordinal(), typename System::Ordinal());
};

template <bool Gather, class Space, class System, class Ordinal>
bool gathers_by_lanes(const Chain<Ordinal>& chain) {
  return has_lanes<Gather, Space, System> && (chain.lanes > 1 || chain.has_long_rows);
}

}  // namespace terrace::triangular
