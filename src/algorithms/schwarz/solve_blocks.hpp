// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution with L and U of each block by itself: y = (L U)^-1 y on the block's piece of y, between the gather of
// its rows and their way out.
//
//     L:  y_p = y_p - sum_{q < p} l_pq y_q  (/ l_pp where L has a diagonal of its own),   p ascending
//     U:  y_p = (y_p - sum_{q > p} u_pq y_q) / u_pp,                                     p descending
//
// and for the transposes U^T before L^T, where each row hands its solution on to the rows that it names. A block is a
// range of places, L and U lie behind each other in its rows, and y does: on a host one thread takes a block from the
// gather to its way out while it is in the cache; on a device a team walks the levels of the block with a barrier
// between them, a row a thread. Nothing waits across blocks. Sums are taken in the order of the pattern, as
// TriangularSolver takes them: the bits do not depend on the number of threads.
//
// The transposed operations add to rows that others of the level add to as well; on a device one thread of the team
// does them, so that they repeat their bits too.
#pragma once

#include "algorithms/schwarz/block_levels.hpp"

namespace terrace::schwarz {

/// Plain pointers, for kernels.
template <class Scalar, class FactorScalar, class Ordinal, class Offset, class Space>
struct SolveBlocks {
  using Read = detail::MultiVector<const Scalar, Space>;
  using Write = detail::MultiVector<Scalar, Space>;

  const Ordinal* block_map;
  const Offset* row_map;
  const Ordinal* entries;
  const Offset* diagonal;
  const FactorScalar* values;
  bool unit_lower;

  const Ordinal* lower_order;  // of BlockLevels; null on hosts
  const Ordinal* lower_begin;
  const Ordinal* lower_levels;
  const Ordinal* upper_order;
  const Ordinal* upper_begin;
  const Ordinal* upper_levels;

  Transfer<Scalar, Ordinal> transfer;
  Read r;
  Write z;
  Scalar* y;  // places x columns, a column behind the other
  Ordinal places;
  Op op;

  KOKKOS_FUNCTION Scalar value(Offset k) const {
    const auto stored = static_cast<Scalar>(values[k]);
    if constexpr (triangular::is_complex<Scalar>) return op == Op::ConjugateTranspose ? Kokkos::conj(stored) : stored;
    return stored;
  }

  KOKKOS_FUNCTION void solve_lower(Ordinal p, Scalar* x) const {
    Scalar sum = x[p];
    for (Offset k = row_map[p]; k < diagonal[p]; ++k) sum -= value(k) * x[entries[k]];
    x[p] = unit_lower ? sum : sum / value(diagonal[p]);
  }
  KOKKOS_FUNCTION void solve_upper(Ordinal p, Scalar* x) const {
    Scalar sum = x[p];
    for (Offset k = diagonal[p] + 1; k < row_map[p + 1]; ++k) sum -= value(k) * x[entries[k]];
    x[p] = sum / value(diagonal[p]);
  }
  /// U^T and L^T: the row is solved, and handed on.
  KOKKOS_FUNCTION void hand_on_upper(Ordinal p, Scalar* x) const {
    const Scalar solved = x[p] = x[p] / value(diagonal[p]);
    for (Offset k = diagonal[p] + 1; k < row_map[p + 1]; ++k) x[entries[k]] -= value(k) * solved;
  }
  KOKKOS_FUNCTION void hand_on_lower(Ordinal p, Scalar* x) const {
    const Scalar solved = x[p] = unit_lower ? x[p] : x[p] / value(diagonal[p]);
    for (Offset k = row_map[p]; k < diagonal[p]; ++k) x[entries[k]] -= value(k) * solved;
  }

  KOKKOS_FUNCTION void solve_in_order(Ordinal first, Ordinal last, Scalar* x) const {
    for (Ordinal p = first; p < last; ++p) solve_lower(p, x);
    for (Ordinal p = last; p > first; --p) solve_upper(p - 1, x);
  }
  KOKKOS_FUNCTION void solve_transposed(Ordinal first, Ordinal last, Scalar* x) const {
    for (Ordinal p = first; p < last; ++p) hand_on_upper(p, x);
    for (Ordinal p = last; p > first; --p) hand_on_lower(p - 1, x);
  }

  /// A block by one thread.
  KOKKOS_FUNCTION void operator()(Ordinal block) const {
    const Ordinal first = block_map[block], last = block_map[block + 1];
    for (std::ptrdiff_t column = 0; column < static_cast<std::ptrdiff_t>(r.columns); ++column) {
      Scalar* const x = y + column * static_cast<std::ptrdiff_t>(places);
      for (Ordinal p = first; p < last; ++p) x[p] = transfer.read(r, p, column);
      if (op == Op::None) solve_in_order(first, last, x);
      else solve_transposed(first, last, x);
      for (Ordinal p = first; p < last; ++p) transfer.write(z, p, column, x[p]);
    }
  }

  /// A block by a team.
  template <class Team>
  requires requires(const Team& team) { team.league_rank(); }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto block = static_cast<Ordinal>(team.league_rank());
    const Ordinal first = block_map[block], last = block_map[block + 1];
    const auto each_place = Kokkos::TeamThreadRange(team, first, last);
    for (std::ptrdiff_t column = 0; column < static_cast<std::ptrdiff_t>(r.columns); ++column) {
      Scalar* const x = y + column * static_cast<std::ptrdiff_t>(places);
      Kokkos::parallel_for(each_place, [&](Ordinal p) { x[p] = transfer.read(r, p, column); });
      team.team_barrier();
      if (op == Op::None) {
        walk(team, lower_levels[block], lower_begin + first, lower_order, [&](Ordinal p) { solve_lower(p, x); });
        walk(team, upper_levels[block], upper_begin + first, upper_order, [&](Ordinal p) { solve_upper(p, x); });
      } else {
        Kokkos::single(Kokkos::PerTeam(team), [&] { solve_transposed(first, last, x); });
        team.team_barrier();
      }
      Kokkos::parallel_for(each_place, [&](Ordinal p) { transfer.write(z, p, column, x[p]); });
    }
  }

  template <class Team, class Solve>
  KOKKOS_FUNCTION void walk(const Team& team, Ordinal levels, const Ordinal* begin, const Ordinal* order,
                            const Solve& solve) const {
    for (Ordinal level = 0; level < levels; ++level) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin[level], begin[level + 1]),
                           [&](Ordinal at) { solve(order[at]); });
      team.team_barrier();
    }
  }
};

}  // namespace terrace::schwarz
