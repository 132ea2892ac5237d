// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the passes of the iteration do at each cell (pcg_state.hpp), for sweeps by tiles of lines.
//
// Sums are taken per bundle and added up in the order of the bundles by the last thread, so that they do not depend on
// which thread did what.
#pragma once

#include "algorithms/structured/pcg_state.hpp"
#include "algorithms/structured/sweep.hpp"
#include "algorithms/structured/tiles.hpp"

namespace terrace::structured {

/// Two sums per bundle.
struct BundleSums {
  double* sums;
  Index bundles;

  KOKKOS_FUNCTION void put(Index bundle, double first, double second) const {
    sums[2 * bundle] = first;
    sums[2 * bundle + 1] = second;
  }
  KOKKOS_FUNCTION double total(int which) const {
    double total = 0.0;
    for (Index bundle = 0; bundle < bundles; ++bundle) total += sums[2 * bundle + which];
    return total;
  }
};

/// In a forward sweep: x += alpha p, r -= alpha q, y = (D + L)^-1 r; r.r and rho. The first one only sweeps.
template <class Scalar, bool First>
struct ForwardPassCell {
  PcgVectors<Scalar> v;
  PcgState* state;
  BundleSums sums;
  Scalar alpha = 0, alpha_of_x = 0;
  double residual = 0.0, rho = 0.0;

  KOKKOS_FUNCTION bool idle() const { return state->stop != PcgState::Running; }
  KOKKOS_FUNCTION void start() {
    alpha = static_cast<Scalar>(state->alpha);
    alpha_of_x = static_cast<Scalar>(state->alpha_of_x);
  }

  KOKKOS_FUNCTION Scalar right_hand_side(Index c) {
    if constexpr (First) return v.r[c];
    v.x[c] += alpha_of_x * v.p[c];
    const Scalar r = v.r[c] - alpha * v.q[c];
    v.r[c] = r;
    residual += double(r) * double(r);
    return r;
  }

  KOKKOS_FUNCTION void accept(Index c, const Scalar& scaled, const Scalar& y) {
    rho += double(scaled) * double(y);
    v.y[c] = y;
  }

  KOKKOS_FUNCTION void end_bundle(Index bundle) { sums.put(bundle, residual, rho); }
  KOKKOS_FUNCTION void finish() const {
    if constexpr (First) state->take_first_rho(sums.total(1));
    else state->take_update(sums.total(0), sums.total(1));
  }
};

/// In a backward sweep: z over y, p = z + beta p.
template <class Scalar>
struct BackwardPassCell {
  PcgVectors<Scalar> v;
  const PcgState* state;
  Scalar beta = 0;

  KOKKOS_FUNCTION bool idle() const { return state->stop != PcgState::Running; }
  KOKKOS_FUNCTION void start() { beta = static_cast<Scalar>(state->beta); }
  KOKKOS_FUNCTION Scalar right_hand_side(Index c) { return v.y[c]; }
  KOKKOS_FUNCTION void accept(Index c, const Scalar&, const Scalar& z) {
    v.y[c] = z;
    v.p[c] = z + beta * v.p[c];
  }
};

/// A pass of Cell without a sweep: M is the identity, and what a sweep would solve for is its right-hand side.
template <class Scalar, class Cell>
struct WithoutSweep {
  static constexpr bool is_independent = true;

  Stencil<Scalar> A;
  Cell cell;

  KOKKOS_FUNCTION Cell begin() const {
    Cell mine = cell;
    mine.start();
    return mine;
  }
  KOKKOS_FUNCTION void piece(Cell& mine, const Bundle& bundle, int begin, int end) const {
    if (mine.idle()) return;
    for (int j = bundle.first_line; j < bundle.last_line; ++j)
      for (int i = begin; i < end; ++i) {
        const Index c = A.index(i, j, bundle.plane);
        const Scalar right = mine.right_hand_side(c);
        mine.accept(c, right, right);
      }
  }
  KOKKOS_FUNCTION void end(Cell& mine, const Bundle& bundle) const {
    if constexpr (requires { mine.end_bundle(bundle.number); }) mine.end_bundle(bundle.number);
  }
  KOKKOS_FUNCTION void finish() const {
    if constexpr (requires { cell.finish(); }) cell.finish();
  }
};

/// Passes over lines that do not depend on each other. Row: what happens at a cell, given (A v)_c, and at the end.
template <class Scalar, class Row>
struct MultiplyTiles {
  static constexpr bool is_independent = true;

  Stencil<Scalar> A;
  Row row;
  BundleSums sums;

  struct Carried {
    double first = 0.0, second = 0.0;
  };

  KOKKOS_FUNCTION Carried begin() const { return {}; }
  KOKKOS_FUNCTION void piece(Carried& sum, const Bundle& bundle, int begin, int) const {
    if (begin > 0 || row.idle()) return;  // a bundle's first piece does its whole lines
    for (int j = bundle.first_line; j < bundle.last_line; ++j)
      multiply_line(A, j, bundle.plane, Vector<const Scalar, true>{row.factor(), 1},
                    [&](Index c, const Scalar& product) { row(c, product, sum.first, sum.second); });
  }
  KOKKOS_FUNCTION void end(Carried& sum, const Bundle& bundle) const { sums.put(bundle.number, sum.first, sum.second); }
  KOKKOS_FUNCTION void finish() const { row.finish(sums.total(0), sums.total(1)); }
};

}  // namespace terrace::structured
