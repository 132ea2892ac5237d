// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution with M = (D + L) D^-1 (D + U) on a grid.
//
//     forward    y_c = (b_c - sum over lower neighbours n of a_cn y_n) / d_c
//     backward   z_c =  y_c - (sum over upper neighbours n of a_cn z_n) / d_c
//
// and z = M^-1 b, without a multiplication by D in between. Mirroring the grid in all directions turns cell c into cell
// n - 1 - c and lower neighbours into upper ones; so there is one sweep, over mirrored or plain numbers, and `behind`
// names the sides towards the cells that it has visited.
//
// Cells with the same i + j + k depend on each other in no way: nx + ny + nz - 2 steps suffice (Gao, Liang and Wang,
// JPDC 74(2), 2014, figures 2 and 4). Which cells are visited at the same time is the business of wavefronts.hpp and
// run_tiles.hpp. All of them take the sums in one order: z, y, x.
//
// Cost per cell and sweep: three diagonals, the inverse pivot, b and x: 6 numbers in three dimensions, 5 in two, and no
// index. (Compressed rows: 4 values, 4 columns, an offset, b and x: 68 bytes against 48.)
#pragma once

#include "algorithms/structured/multiply.hpp"

namespace terrace::structured {

template <class ScalarType, bool Backward, bool Contiguous>
struct Sweep {
  using Scalar = ScalarType;

  int extent[Directions];
  Side<Scalar> behind[Directions];
  const Scalar* inverse_pivots;
  const Scalar* zeros;
  Vector<Scalar, Contiguous> x;
  Index last;  // cell

  Sweep(const Stencil<Scalar>& A, const Scalar* inverse, const Vector<Scalar, Contiguous>& solution)
      : extent{A.extent[X], A.extent[Y], A.extent[Z]},
        inverse_pivots(inverse),
        zeros(A.zeros),
        x(solution),
        last(A.cells() - 1) {
    for (int d = 0; d < Directions; ++d) behind[d] = Backward ? A.upper[d] : A.lower[d];
  }

  /// From one cell of a line to the one that is visited next.
  static constexpr Index forth = Backward ? -1 : 1;

  /// The number of the cell that is visited at (i, j, k).
  KOKKOS_FUNCTION Index cell_at(int i, int j, int k) const {
    const Index place = i + extent[X] * (j + Index(extent[Y]) * k);
    return Backward ? last - place : place;
  }

  KOKKOS_FUNCTION Scalar behind_times_x(int direction, Index c) const {
    return behind[direction](c) * x(c + behind[direction].step);
  }

  /// The unknown of cell c from its right-hand side and the sum over what lies behind.
  KOKKOS_FUNCTION Scalar unknown(Index c, const Scalar& right, const Scalar& sum) const {
    return Backward ? right - sum * inverse_pivots[c] : (right - sum) * inverse_pivots[c];
  }
};

/// What a plain substitution does at each cell; iterations put their own vector operations here (pcg_steps.hpp).
template <class Scalar, bool Contiguous>
struct PlainCell {
  Vector<const Scalar, Contiguous> b;
  Vector<Scalar, Contiguous> x;

  KOKKOS_FUNCTION Scalar right_hand_side(Index c) { return b(c); }
  KOKKOS_FUNCTION void accept(Index c, const Scalar&, const Scalar& unknown) { x(c) = unknown; }
};

}  // namespace terrace::structured
