// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits a grid one anti-diagonal i + j + k = const after the other, each as one kernel: nx + ny + nz - 2 of them.
//
// For backends without a sweep of their own: a kernel launch per wavefront, and neighbouring threads nx - 1 numbers
// apart. Deterministic.
#pragma once

#include "algorithms/structured/sweep.hpp"

namespace terrace::structured {

/// The cells of one wavefront: (j, k) in a box, i what remains.
struct Wavefront {
  Index sum;
  int first_j, first_k;
  int width;  // of the box, in j
  Index size;
};

/// The first place along an axis when the other axes reach up to `others` together; and the last one of so many cells.
inline int first_of(Index sum, Index others) { return static_cast<int>(std::max<Index>(0, sum - others)); }
inline int last_of(Index sum, int cells) { return static_cast<int>(std::min<Index>(sum, cells - 1)); }

inline Wavefront make_wavefront(const int (&extent)[Directions], Index sum) {
  const Index nx = extent[X], ny = extent[Y];
  const int first_k = first_of(sum, nx + ny - 2), last_k = last_of(sum, extent[Z]);
  const int first_j = first_of(sum - last_k, nx - 1), last_j = last_of(sum - first_k, extent[Y]);
  const int width = last_j - first_j + 1;
  return {sum, first_j, first_k, width, Index(width) * (last_k - first_k + 1)};
}

/// Calls body.cell({i, j, k}) for the cells of a wavefront.
template <class Body>
struct VisitWavefront {
  Body body;
  Wavefront wavefront;
  int nx;

  KOKKOS_FUNCTION void operator()(Index place) const {
    const int j = wavefront.first_j + static_cast<int>(place % wavefront.width);
    const int k = wavefront.first_k + static_cast<int>(place / wavefront.width);
    const int at[Directions] = {static_cast<int>(wavefront.sum - j - k), j, k};
    if (at[X] >= 0 && at[X] < nx) body.cell(at);
  }
};

template <class Space, class Body>
void visit_wavefronts(const Space& space, const char* label, const int (&extent)[Directions], const Body& body) {
  const Index wavefronts = Index(extent[X]) + extent[Y] + extent[Z] - 2;
  for (Index sum = 0; sum < wavefronts; ++sum) {
    const Wavefront wavefront = make_wavefront(extent, sum);
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>(space, 0, wavefront.size),
                         VisitWavefront<Body>{body, wavefront, extent[X]});
  }
}

/// One cell of a substitution.
template <class Sweep, class Cell>
struct SweepCells {
  Sweep sweep;
  Cell handle;

  KOKKOS_FUNCTION void cell(const int (&at)[Directions]) const {
    using Scalar = typename Sweep::Scalar;
    const Index c = sweep.cell_at(at[X], at[Y], at[Z]);
    Scalar sum = 0;
    for (int d = Z; d >= X; --d)
      if (at[d] > 0) sum += sweep.behind_times_x(d, c);
    Cell mine = handle;
    const Scalar right = mine.right_hand_side(c);
    mine.accept(c, right - sum, sweep.unknown(c, right, sum));
  }
};

}  // namespace terrace::structured
