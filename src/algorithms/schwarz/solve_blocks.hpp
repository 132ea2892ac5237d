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
// between them, a row a thread. On a host up to eight columns are solved for side by side: their sums do not wait for
// each other, and L and U are read once. Nothing waits across blocks. Sums of L are taken in the order of the pattern,
// those of U against it, as TriangularSolver takes them on hosts: the bits do not depend on the number of threads.
//
// The transposed operations add to rows that others of the level add to as well; on a device one thread of the team
// does them, so that they repeat their bits too.
#pragma once

#include "algorithms/schwarz/block_levels.hpp"
#include "algorithms/triangular/pivot_inverse.hpp"

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

  KOKKOS_FUNCTION std::ptrdiff_t stride() const { return static_cast<std::ptrdiff_t>(places); }

  /// Where the W numbers of a place are: a column behind the other, or side by side.
  template <int W, bool SideBySide>
  struct Columns {
    Scalar* x;
    std::ptrdiff_t stride;
    KOKKOS_FUNCTION Scalar& operator()(Ordinal place, int q) const {
      if constexpr (SideBySide) return x[static_cast<std::ptrdiff_t>(place) * W + q];
      else return x[place + q * stride];
    }
  };

  /// x = (x - sum over [first, last) of value_k x_k) / pivot for W columns, whose values are read once. The number that
  /// has been known for the shortest time comes last.
  template <int W, bool Backward, class X>
  KOKKOS_FUNCTION void substitute(Ordinal p, Offset first, Offset last, bool divide, const X& x) const {
    Scalar sums[W];
    for (int q = 0; q < W; ++q) sums[q] = x(p, q);
    for (Offset k = first; k < last; ++k) {
      const Offset at = Backward ? last - 1 - (k - first) : k;
      const Scalar factor = value(at);
      const Ordinal from = entries[at];
      for (int q = 0; q < W; ++q) sums[q] -= factor * x(from, q);
    }
    if (divide) triangular::divide_all(sums, value(diagonal[p]));
    for (int q = 0; q < W; ++q) x(p, q) = sums[q];
  }
  template <int W, class X>
  KOKKOS_FUNCTION void solve_lower(Ordinal p, const X& x) const {
    substitute<W, false>(p, row_map[p], diagonal[p], !unit_lower, x);
  }
  template <int W, class X>
  KOKKOS_FUNCTION void solve_upper(Ordinal p, const X& x) const {
    substitute<W, true>(p, diagonal[p] + 1, row_map[p + 1], true, x);
  }

  /// U^T and L^T: the row is solved, and handed on to those that [first, last) names.
  template <int W, class X>
  KOKKOS_FUNCTION void hand_on(Ordinal p, Offset first, Offset last, bool divide, const X& x) const {
    Scalar solved[W];
    for (int q = 0; q < W; ++q) solved[q] = x(p, q);
    if (divide) triangular::divide_all(solved, value(diagonal[p]));
    for (int q = 0; q < W; ++q) x(p, q) = solved[q];
    for (Offset k = first; k < last; ++k) {
      const Scalar factor = value(k);
      const Ordinal to = entries[k];
      for (int q = 0; q < W; ++q) x(to, q) -= factor * solved[q];
    }
  }

  template <int W, class X>
  KOKKOS_FUNCTION void solve_in_order(Ordinal first, Ordinal last, const X& x) const {
    for (Ordinal p = first; p < last; ++p) solve_lower<W>(p, x);
    for (Ordinal p = last; p > first; --p) solve_upper<W>(p - 1, x);
  }
  template <int W, class X>
  KOKKOS_FUNCTION void solve_transposed(Ordinal first, Ordinal last, const X& x) const {
    for (Ordinal p = first; p < last; ++p) hand_on<W>(p, diagonal[p] + 1, row_map[p + 1], true, x);
    for (Ordinal p = last; p > first; --p) hand_on<W>(p - 1, row_map[p - 1], diagonal[p - 1], !unit_lower, x);
  }

  /// W columns of a block, from `column` on, by one thread.
  template <int W, bool SideBySide>
  KOKKOS_FUNCTION void solve_columns(Ordinal first, Ordinal last, std::ptrdiff_t column) const {
    const Columns<W, SideBySide> x{y + column * stride(), stride()};
    for (Ordinal p = first; p < last; ++p)
      for (int q = 0; q < W; ++q) x(p, q) = transfer.read(r, p, column + q);
    if (op == Op::None) solve_in_order<W>(first, last, x);
    else solve_transposed<W>(first, last, x);
    for (Ordinal p = first; p < last; ++p)
      for (int q = 0; q < W; ++q) transfer.write(z, p, column + q, x(p, q));
  }

  /// As many columns as there are, from `column` on, by W. Side by side they would be in the way of other blocks where
  /// Z lies in the same memory.
  template <int W>
  KOKKOS_FUNCTION std::ptrdiff_t solve_by(Ordinal first, Ordinal last, std::ptrdiff_t column) const {
    const bool shared = static_cast<const void*>(z.data) == static_cast<const void*>(y);
    for (; column + W <= static_cast<std::ptrdiff_t>(r.columns); column += W) {
      if (W > 1 && !shared) solve_columns<W, true>(first, last, column);
      else solve_columns<W, false>(first, last, column);
    }
    return column;
  }

  /// A block by one thread.
  KOKKOS_FUNCTION void operator()(Ordinal block) const {
    const Ordinal first = block_map[block], last = block_map[block + 1];
    std::ptrdiff_t column = solve_by<8>(first, last, 0);
    column = solve_by<4>(first, last, column);
    column = solve_by<2>(first, last, column);
    solve_by<1>(first, last, column);
  }

  /// A block by a team.
  template <class Team>
  requires requires(const Team& team) { team.league_rank(); }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto block = static_cast<Ordinal>(team.league_rank());
    const Ordinal first = block_map[block], last = block_map[block + 1];
    const auto each_place = Kokkos::TeamThreadRange(team, first, last);
    for (std::ptrdiff_t column = 0; column < static_cast<std::ptrdiff_t>(r.columns); ++column) {
      const Columns<1, false> x{y + column * stride(), stride()};
      Kokkos::parallel_for(each_place, [&](Ordinal p) { x(p, 0) = transfer.read(r, p, column); });
      team.team_barrier();
      if (op == Op::None) {
        walk(team, lower_levels[block], lower_begin + first, lower_order, [&](Ordinal p) { solve_lower<1>(p, x); });
        walk(team, upper_levels[block], upper_begin + first, upper_order, [&](Ordinal p) { solve_upper<1>(p, x); });
      } else {
        Kokkos::single(Kokkos::PerTeam(team), [&] { solve_transposed<1>(first, last, x); });
        team.team_barrier();
      }
      Kokkos::parallel_for(each_place, [&](Ordinal p) { transfer.write(z, p, column, x(p, 0)); });
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
