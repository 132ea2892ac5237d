// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILUT(p, tau) (Saad, "Iterative Methods for Sparse Linear Systems", 2003, algorithm 10.6) and its symmetric form.
//
//     w = row i of A;  tau_i = tau ||w||_2
//     for the smallest column k < i of w that has not had its turn, until there is none:
//         w_k = w_k / u_kk;  drop it if |w_k| < tau_i;  else w_j -= w_k u_kj for all j > k of row k of U
//     drop all |w_j| < tau_i;  l_i* = the p largest w_j left of the diagonal,  u_i* = the p largest right of it, and
//     w_i
//
// L L^T is left-looking by columns of L, which are rows of U = L^T. Column i of L needs every column k with l_ik != 0,
// and these are found as above: k is a candidate when a_ki != 0 or when a column before k fills (k, i). Whether l_ik
// was kept in the end, column k knows: candidate i stands in row k of U or it does not. So the lower half of w only
// lists candidates, its numbers are not used, and
//     w_j -= u_ki u_kj;  u_i* = (the p largest |w_j| >= tau_i) / sqrt(w_i),  u_ii = sqrt(w_i)        (L L^H:
//     conj(u_ki))
//
// Which rows a row needs shows while it is eliminated. So nothing is scheduled: workers claim rows in ascending order,
// or in another one in which no row comes before one that it needs (of a matrix of blocks that do not touch: the i-th
// rows of all blocks together), and a worker waits for row k when it comes to k. The first unfinished row of the order
// never waits, and whoever owns it is running, so the end is reached whatever the number of workers. Neighbours in a
// band overlap, because the latest row that a row needs is the last one that it asks for. Threads of hosts, which take
// longer to hear of each other than rows take, claim runs of rows that need the one before (claim_runs.hpp), and leave
// where they wait for most of their time (leave_work.hpp).
//
// Invariant: a row reads finished rows only, in ascending order, and writes itself. Sums and choices depend on nothing
// else: the factor has the same bits whatever the number of workers.
//
// Cost: a look in a table for each product, a logarithm of the row's length for each candidate.
//
// On a device a worker is a team of one thread, so that no lane waits for another lane of its warp.
#pragma once

#include "algorithms/incomplete/matrix_entries.hpp"
#include "algorithms/incomplete/threshold/dropping_rules.hpp"
#include "algorithms/incomplete/threshold/finished_rows.hpp"
#include "algorithms/incomplete/threshold/row_norms.hpp"
#include "algorithms/incomplete/threshold/work_arrays.hpp"

namespace terrace::incomplete {

struct Ascending {
  KOKKOS_FUNCTION bool operator()(unsigned a, unsigned b) const { return a < b; }
};

template <class Scalar, class Ordinal, class Offset>
struct ThresholdElimination {
  using Real = RealOf<Scalar>;
  using Row = WorkingRow<Scalar, Ordinal>;

  sparse::TriangleView<Ordinal, Offset> pattern;  // merged
  MatrixEntries<Scalar, Ordinal, Offset> matrix;
  FinishedRows<Scalar, Ordinal, Offset> finished;
  WorkArrays<Scalar, Ordinal> work;
  PivotRule<Scalar, Ordinal> pivots;
  Progress* progress;
  unsigned fill;
  Real drop_tolerance;
  Real diagonal_factor;  // 1 + alpha
  bool symmetric;        // L L^T or L L^H

  using Norms = RowNorms<Real>;

  KOKKOS_FUNCTION void operator()(unsigned worker) const {
    Row w = work.of(worker);
    ClaimedRows own;
    WaitingAccount<> account(worker, work.workers);
    const auto claim = [&] {
      const bool leaves = !own.are_there() && account.leaves(progress->left);
      return leaves ? Ordinal(-1) : finished.claim(*progress, pattern.rows, own);
    };
    std::int64_t dropped = 0;
    for (Ordinal row = claim(); row >= 0; row = claim()) {
      std::int64_t dropped_here = 0;
      const bool is_done = eliminate(row, w, account, dropped_here);
      w.clear();
      if (!is_done) {
        parallel::release_store(progress->stop, 1u);
        break;
      }
      dropped += dropped_here;
      parallel::release_store(finished.is_finished[row], 1u);
    }
    parallel::atomic_accumulate(progress->dropped, dropped);
  }

  template <class Team>
  requires requires(const Team& team) { team.league_rank(); }
  KOKKOS_FUNCTION void operator()(const Team& team) const { (*this)(static_cast<unsigned>(team.league_rank())); }

  /// False when there was no capacity for the row, or a row before it cannot be had.
  KOKKOS_FUNCTION bool eliminate(Ordinal row, Row& w, WaitingAccount<>& account, std::int64_t& dropped) const {
    Norms norms;
    unsigned waiting = 0;  // columns left of the diagonal that have not had their turn, a heap in w.selected
    if (!load(row, w, waiting, norms)) return false;
    const Real drop_below = drop_tolerance * norms.two;
    while (waiting > 0) {
      const auto k = static_cast<Ordinal>(pop_heap(w.selected, waiting, Ascending()));
      Scalar& multiplier = w.values[w.place_of(k)];
      if (!symmetric && multiplier == Scalar(0)) continue;
      if (!finished.wait_for(*progress, k, account)) return false;
      multiplier = symmetric ? mirror_image(finished.upper_entry(k, row))
                             : rounded_quotient(multiplier, finished.values[finished.diagonal[k]]);
      if (multiplier == Scalar(0)) continue;
      if (!symmetric && rounded_size(multiplier) < drop_below) {
        multiplier = Scalar(0);
        ++dropped;
        continue;
      }
      if (!subtract(multiplier, k, row, w, waiting)) return false;
    }
    return finish(row, w, norms, drop_below, dropped);
  }

  KOKKOS_FUNCTION bool load(Ordinal row, Row& w, unsigned& waiting, Norms& norms) const {
    NormSums<Scalar> sums;
    const Offset begin = pattern.row_map[row], end = pattern.row_map[row + 1];
    for (Offset p = begin; p < end; ++p) {
      const Scalar value = matrix(row, p);
      if (!add(pattern.entries[p], value, row, w, waiting)) return false;
      sums.see(value);
    }
    for (unsigned k = 0; sums.is_scalable() && k < w.count; ++k) sums.add_square(w.values[w.occupied[k]]);
    norms = sums.norms();
    Scalar& diagonal = w.values[w.place_of(row)];
    diagonal = diagonal * diagonal_factor;
    return true;
  }

  /// w_column += value; a new column left of the diagonal waits for its turn.
  KOKKOS_FUNCTION bool add(Ordinal column, const Scalar& value, Ordinal row, Row& w, unsigned& waiting) const {
    const unsigned known = w.count, place = w.place_of(column);
    if (place == Row::nowhere) {
      parallel::release_store(progress->row_too_long, 1u);
      return false;
    }
    if (column < row && w.count > known) push_heap(w.selected, waiting, static_cast<unsigned>(column), Ascending());
    w.values[place] += value;
    return true;
  }

  KOKKOS_FUNCTION bool subtract(const Scalar factor, Ordinal k, Ordinal row, Row& w, unsigned& waiting) const {
    const Offset end = finished.end[k];
    for (Offset q = finished.diagonal[k] + 1; q < end; ++q)
      if (!add(finished.entries[q], -rounded_product(factor, finished.values[q]), row, w, waiting)) return false;
    return true;
  }

  /// l_ik of u_ki in a symmetric factorization.
  KOKKOS_FUNCTION Scalar mirror_image(const Scalar& value) const {
    if constexpr (triangular::is_complex<Scalar>) return matrix.hermitian ? Kokkos::conj(value) : value;
    return value;
  }

  /// Chooses, finds capacity, divides and writes. Nothing is reported of a row before it has capacity: it may come
  /// again.
  KOKKOS_FUNCTION bool finish(Ordinal row, Row& w, const Norms& norms, Real drop_below, std::int64_t& dropped) const {
    const Candidates found = list_candidates(w, row, drop_below, !symmetric);
    unsigned* const right = w.selected + w.capacity - found.upper;
    const unsigned lower = select_largest(w, w.selected, found.lower, fill);
    const unsigned upper = select_largest(w, right, found.upper, fill);
    if (!finished.reserve(*progress, row, lower, upper)) return false;
    dropped += found.nonzero - lower - upper;
    const Scalar pivot = pivots.settle(row, w.values[w.place_of(row)], norms.one);
    const Scalar divisor = symmetric ? rounded_root(pivot) : Scalar(1);
    const Offset diagonal = finished.diagonal[row];
    write(finished.begin[row], lower, w, w.selected, Scalar(1));
    const bool fits = write(diagonal + 1, upper, w, right, divisor);
    finished.entries[diagonal] = row;
    finished.values[diagonal] = symmetric ? divisor : pivot;
    const bool overflows = !fits && pivots.is_good(pivot, Real(0));  // else it is reported as a pivot
    if (!found.are_finite || !triangular::is_finite(pivot) || overflows)
      parallel::atomic_lower(pivots.first[NonFiniteRow], row);
    return true;
  }

  /// Whether all that was written is finite.
  KOKKOS_FUNCTION bool write(Offset at, unsigned count, const Row& w, const unsigned* places,
                             const Scalar& divisor) const {
    bool is_finite = true;
    for (unsigned k = 0; k < count; ++k, ++at) {
      const Scalar value = w.values[places[k]];
      finished.entries[at] = w.columns[places[k]];
      finished.values[at] = symmetric ? rounded_quotient(value, divisor) : value;
      is_finite = is_finite && triangular::is_finite(finished.values[at]);
    }
    return is_finite;
  }
};

}  // namespace terrace::incomplete
