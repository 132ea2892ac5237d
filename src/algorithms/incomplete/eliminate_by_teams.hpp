// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elimination of rows that are long, on a device: a team for each row, level by level.
//
// For each k the threads share the entries u_kj, and each finds the place of its column in row i; where row k of U is
// far longer than what is left of row i, they share that and search row k. Products for one k have different places,
// and a barrier stands between one k and the next: every entry gets the products that one thread gives it, in the same
// order, and has the same bits. The norm of a row is summed by one thread, in order.
//
// What is dropped would have to be summed in order too: with a relaxation rows are eliminated by one thread each.
#pragma once

#include "algorithms/incomplete/elimination.hpp"
#include "algorithms/triangular/level_chains.hpp"
#include "parallel/functor_as_argument.hpp"

namespace terrace::incomplete {

struct TeamTuning {
  static constexpr int fewest_threads = 32, most_threads = 128;
  static constexpr std::int64_t long_row = 12;      // entries of the mean row
  static constexpr std::int64_t many_products = 8;  // for each entry

  static bool pays(std::int64_t rows, std::int64_t entries, std::int64_t products) {
    return entries >= long_row * rows || products >= many_products * entries;
  }

  /// As many as the mean row has entries on one side of its diagonal.
  static int threads(std::int64_t rows, std::int64_t entries) {
    int threads = fewest_threads;
    while (threads < most_threads && 4 * threads * rows <= entries) threads *= 2;
    return threads;
  }
};

/// The rows of a level, which stand in `order` from the first place on.
template <class Scalar, class Ordinal, class Offset, class Space>
struct EliminateByTeams {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  using Rows = Elimination<Scalar, Ordinal, Offset, Space>;
  using Real = RealOf<Scalar>;

  Rows rows;  // without relaxation
  const Ordinal* order;
  Ordinal first_place;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Ordinal row = order[first_place + static_cast<Ordinal>(team.league_rank())];
    const Offset begin = rows.pattern.row_map[row], end = rows.pattern.row_map[row + 1];
    Scalar* const w = rows.values;
    const Real norm = load(team, row, begin, end);
    const Offset diagonal = rows.pattern.diagonal[row];
    eliminate(team, begin, diagonal, end);
    const Scalar pivot = settle(team, row, norm);
    const Scalar divisor = w[diagonal];
    int bad = Rows::is_not_finite(pivot);
    share(team, begin, end, [&](Offset p) {
      if (rows.symmetric && p > diagonal) w[p] = w[p] / divisor;
      bad |= Rows::is_not_finite(w[p]);
    });
    if (bad != 0) rows.report_not_finite(row, pivot);
  }

 private:
  /// work(p) for each p of [from, to).
  template <class Work>
  KOKKOS_FUNCTION static void share(const Team& team, Offset from, Offset to, const Work& work) {
    using Place = std::make_unsigned_t<Offset>;  // the threads step beyond the last one
    const auto size = static_cast<Place>(team.team_size());
    for (Place k = static_cast<Place>(from) + static_cast<Place>(team.team_rank()); k < static_cast<Place>(to);
         k += size)
      work(static_cast<Offset>(k));
  }

  /// Copies the row of A into the pattern. One thread has its 1-norm.
  KOKKOS_FUNCTION Real load(const Team& team, Ordinal row, Offset begin, Offset end) const {
    const Offset diagonal = rows.pattern.diagonal[row];
    share(team, begin, end, [&](Offset p) {
      const Scalar value = rows.stored(row, p);
      rows.values[p] = p == diagonal ? value * rows.diagonal_factor : value;
    });
    if (team.team_rank() != 0) return Real(0);
    return rows.read_row(row, begin, end, [](Offset, const Scalar&) {});
  }

  /// A factor is written when all threads have read the number that stood there: behind the next barrier. Behind the
  /// last one the first thread alone goes on with the row.
  KOKKOS_FUNCTION void eliminate(const Team& team, Offset begin, Offset diagonal, Offset end) const {
    Scalar factor(0);
    for (Offset p = begin; p < diagonal; ++p) {
      team.team_barrier();  // this row has all products for smaller k
      if (p > begin && team.team_rank() == 0) rows.values[p - 1] = factor;
      const Ordinal k = rows.pattern.entries[p];
      const Offset pivot = rows.pattern.diagonal[k];
      factor = rows.values[p] / rows.values[pivot];
      subtract(team, factor, pivot + 1, rows.pattern.row_map[k + 1], p + 1, end);
    }
    team.team_barrier();
    if (diagonal > begin && team.team_rank() == 0) rows.values[diagonal - 1] = factor;
  }

  /// Entries [first, last) of row k of U, times the factor, from those at [at, end) that are left of the row.
  KOKKOS_FUNCTION void subtract(const Team& team, const Scalar factor, Offset first, Offset last, Offset at,
                                Offset end) const {
    Scalar* const w = rows.values;
    const Ordinal* const columns = rows.pattern.entries;
    if (Rows::is_far_longer(first, last, at, end)) {
      share(team, at, end, [&](Offset p) {
        const Offset q = sparse::find_column(columns, first, last, columns[p]);
        if (q != last) w[p] = minus_product(w[p], factor, w[q]);
      });
    } else {
      share(team, first, last, [&](Offset q) {
        const Offset p = sparse::find_column(columns, at, end, columns[q]);
        if (p != end) w[p] = minus_product(w[p], factor, w[q]);
      });
    }
  }

  /// Puts the pivot, or its root, on the diagonal. All threads have the pivot, and what was written before. `norm` is
  /// that of the first thread.
  KOKKOS_FUNCTION Scalar settle(const Team& team, Ordinal row, Real norm) const {
    Scalar pivot(0);
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](Scalar& settled) {
          Scalar& on_diagonal = rows.values[rows.pattern.diagonal[row]];
          settled = rows.pivots.settle(row, on_diagonal, norm);
          on_diagonal = rows.symmetric ? Kokkos::sqrt(settled) : settled;
        },
        pivot);
    team.team_barrier();
    return pivot;
  }
};

/// Enqueues a kernel for each level. On a host each team is one thread.
template <class Scalar, class Ordinal, class Offset, class Space>
void eliminate_by_teams(const Space& space, const Elimination<Scalar, Ordinal, Offset, Space>& rows,
                        const triangular::LevelSolve<Ordinal, Offset>& walk, int threads) {
  const auto& offsets = *walk.host_level_offsets;
  for (std::size_t level = 0; level + 1 < offsets.size(); ++level) {
    Kokkos::TeamPolicy<Space> teams(space, static_cast<int>(offsets[level + 1] - offsets[level]),
                                    parallel::is_host_space<Space> ? 1 : threads, 1);
    teams.set_scratch_size(1, Kokkos::PerTeam(16));  // as in one_team
    Kokkos::parallel_for(rows.names.level, parallel::functor_as_argument(teams),
                         EliminateByTeams<Scalar, Ordinal, Offset, Space>{rows, walk.tasks.order, offsets[level]});
  }
}

}  // namespace terrace::incomplete
