// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A piece of a bundle of neighbouring lines, by one thread.
//
// Along one line each unknown waits for the one before it: a subtraction and two multiplications, some twelve cycles on
// today's cores, in which one could compute several unknowns. So the lines of a bundle are walked together, each one
// cell behind the line before it: at step s line l solves cell s - l, its neighbour in the line before was solved in
// the step before and is still in a register, and the chains of the lines run side by side.
//
//     line 0   s   .   .   .
//     line 1  s-1  s   .   .        s: the step in which a cell is solved
//
// The invariant: before step s, recent[l] is the unknown of line l at cell s - l - 1. Cells at the start of a line have
// nothing behind them in x, and recent is zero there; only the first line reads the line before it, or zeros where
// there is none.
#pragma once

#include "algorithms/structured/sweep.hpp"
#include "algorithms/structured/tiles.hpp"

namespace terrace::structured {

/// Lines j, ..., j + Lines - 1 of plane k, cells begin, ..., end - 1.
template <int Lines, bool HasPlaneBehind, class Sweep, class Cell>
class LineBundle {
  using Scalar = typename Sweep::Scalar;

 public:
  KOKKOS_FUNCTION LineBundle(const Sweep& sweep, const Cell& cell, int j, int k)
      : sweep_(sweep), cell_(cell), first_(sweep.cell_at(0, j, k)), has_line_behind_(j > 0) {}

  /// Returns what the cells have left to be carried on.
  KOKKOS_FUNCTION Cell run(int begin, int end) {
    for (int l = 0; l < Lines; ++l) recent_[l] = begin > 0 ? sweep_.x(place(begin - 1, l)) : Scalar(0);
    const int full = Kokkos::min(begin + Lines, end + Lines - 1);
    for (int s = begin; s < full; ++s) partial_step(s, begin, end);
    if (has_line_behind_) full_steps<true>(full, end);
    else full_steps<false>(full, end);
    for (int s = Kokkos::max(full, end); s < end + Lines - 1; ++s) partial_step(s, begin, end);
    return cell_;
  }

 private:
  KOKKOS_FUNCTION Index place(Index i, int line) const {
    return first_ + Sweep::forth * (i + line * Index(sweep_.extent[X]));
  }

  /// Lines that have a cell in this step; cells at the start of their line have nothing behind them in x.
  KOKKOS_FUNCTION void partial_step(int s, int begin, int end) {
    for (int l = Lines - 1; l >= 0; --l) {
      if (s - l < begin || s - l >= end) continue;
      const Index c = place(s - l, l);
      const Scalar in_x = s - l > 0 ? sweep_.behind[X](c) * recent_[l] : Scalar(0);
      if (has_line_behind_) solve<true>(l, c, in_x);
      else solve<false>(l, c, in_x);
    }
  }

  template <bool HasLineBehind>
  KOKKOS_FUNCTION void full_steps(int begin, int end) {
    for (int s = begin; s < end; ++s)
      for (int l = Lines - 1; l >= 0; --l) {
        const Index c = place(s - l, l);
        solve<HasLineBehind>(l, c, sweep_.behind[X](c) * recent_[l]);
      }
  }

  template <bool HasLineBehind>
  KOKKOS_FORCEINLINE_FUNCTION void solve(int l, Index c, const Scalar& in_x) {
    Scalar sum = 0;
    if constexpr (HasPlaneBehind) sum = sweep_.behind_times_x(Z, c);
    if (l > 0) sum += sweep_.behind[Y](c) * recent_[l - 1];
    else if (HasLineBehind) sum += sweep_.behind_times_x(Y, c);
    sum += in_x;
    const Scalar right = cell_.right_hand_side(c);
    recent_[l] = sweep_.unknown(c, right, sum);
    cell_.accept(c, right - sum, recent_[l]);
  }

  const Sweep sweep_;  // copies, so that pointers and sums live in registers
  Cell cell_;
  Index first_;
  bool has_line_behind_;
  Scalar recent_[Lines];
};

/// Lines first, ..., last - 1 of plane k, cells begin, ..., end - 1 of each.
template <int Together, bool HasPlaneBehind, class Sweep, class Cell>
KOKKOS_FUNCTION void sweep_plane_lines(const Sweep& sweep, Cell& cell, int first, int last, int k, int begin, int end) {
  int j = first;
  for (; j + Together <= last; j += Together)
    cell = LineBundle<Together, HasPlaneBehind, Sweep, Cell>(sweep, cell, j, k).run(begin, end);
  for (; j < last; ++j) cell = LineBundle<1, HasPlaneBehind, Sweep, Cell>(sweep, cell, j, k).run(begin, end);
}

/// Whether lines are better walked one by one: they come from memory, and end before a prefetcher has found its pace.
/// Nanoseconds per cell of an iteration at 120^3: 10.8 one by one, 18 side by side; at 1024^2 11 and 10, at 32^3, in
/// cache, 9.3 and 7.4.
template <class Sweep>
KOKKOS_FUNCTION bool walks_single_lines(const Sweep& sweep) {
  constexpr int short_line = 512;
  constexpr Index cells_in_cache = 1 << 17;
  return sweep.extent[X] < short_line && sweep.last >= cells_in_cache;
}

template <class Sweep, class Cell>
KOKKOS_FUNCTION void sweep_lines(const Sweep& sweep, Cell& cell, int first, int last, int k, int begin, int end) {
  const bool single = walks_single_lines(sweep);
  if (k > 0 && single) sweep_plane_lines<1, true>(sweep, cell, first, last, k, begin, end);
  else if (k > 0) sweep_plane_lines<lines_side_by_side, true>(sweep, cell, first, last, k, begin, end);
  else if (single) sweep_plane_lines<1, false>(sweep, cell, first, last, k, begin, end);
  else sweep_plane_lines<lines_side_by_side, false>(sweep, cell, first, last, k, begin, end);
}

}  // namespace terrace::structured
