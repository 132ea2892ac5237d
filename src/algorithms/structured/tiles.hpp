// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a grid is cut for a few threads: planes into bundles of whole lines, and bundles into pieces along x.
//
// A bundle is what a thread claims; a piece is what it announces. Bundle J of plane k needs bundle J - 1 of its plane
// and bundle J of plane k - 1, piece by piece. In three dimensions bundles are numbered by anti-diagonals J + k:
// neighbours in this order do not depend on each other, and whole lines are pieces enough. In two dimensions each
// bundle needs the one before it, and threads follow each other along x, one piece behind.
#pragma once

#include <algorithm>

#include "algorithms/structured/stencil.hpp"
#include "parallel/index_arithmetic.hpp"

namespace terrace::structured {

/// Lines that one thread walks together (sweep_lines.hpp). Nanoseconds per cell on one core of an EPYC, at 1024^2 and
/// 120^3: one line 3.5 and 3.4, two 2.4 and 3.4, four 3.4 and 7.4, because short lines in so many places outrun the
/// prefetcher. Two come to what the memory delivers to the core.
inline constexpr int lines_side_by_side = 2;

struct Bundle {
  int first_line, last_line;  // and one more
  int plane;
  Index number;  // in natural order
  bool exists;   // anti-diagonals are numbered as if they were all of one length
};

struct Tiling {
  static constexpr int cells_per_piece = 1024;  // some microseconds of work against a tenth of one for announcing it
  static constexpr int shortest_piece = 32;
  static constexpr int pieces_per_thread = 4;
  static constexpr int fewest_lines = 16;  // where there are enough bundles

  int nx, ny, nz;
  int lines;  // per bundle
  int piece;  // cells
  bool by_diagonals;

  KOKKOS_FUNCTION int bundles_per_plane() const { return parallel::divide_up(ny, lines); }
  KOKKOS_FUNCTION Index bundles() const { return Index(bundles_per_plane()) * nz; }
  KOKKOS_FUNCTION int pieces() const { return parallel::divide_up(nx, piece); }
  KOKKOS_FUNCTION Index claims() const {
    return by_diagonals ? Index(bundles_per_plane()) * (Index(bundles_per_plane()) + nz - 1) : bundles();
  }

  /// Steps that must follow each other: the wavefronts of tiles.
  Index dependent_steps() const { return Index(bundles_per_plane()) + nz + pieces() - 2; }

  /// How many tiles can be done at the same time, on average. Whole bundles in natural order follow each other.
  double tiles_at_once() const {
    if (!by_diagonals && pieces() == 1) return 1.0;
    return static_cast<double>(bundles()) * pieces() / static_cast<double>(dependent_steps());
  }
  Index cells_of_tile() const { return Index(std::min(lines, ny)) * std::min(piece, nx); }

  /// The bundle of a claim; those that it needs have lower numbers.
  KOKKOS_FUNCTION Bundle bundle(Index claim) const {
    const int place = static_cast<int>(claim % bundles_per_plane());
    const Index group = claim / bundles_per_plane();
    const Index plane = by_diagonals ? group - place : group;
    const int first = place * lines;
    return {first, first + Kokkos::min(lines, ny - first), static_cast<int>(plane), place + plane * bundles_per_plane(),
            plane >= 0 && plane < nz};
  }
};

/// Whole lines for one thread; else as many bundles or pieces as keep `threads` of them from waiting for each other.
inline Tiling make_tiling(const int (&extent)[Directions], int threads) {
  Tiling tiling{extent[X], extent[Y], extent[Z], Tiling::fewest_lines, extent[X], false};
  if (threads == 1) return tiling;
  const auto round = [](int lines) {
    return std::max(lines_side_by_side, lines / lines_side_by_side * lines_side_by_side);
  };
  const int wanted = std::max(Tiling::fewest_lines, Tiling::cells_per_piece / extent[X]);
  const int lines = round(std::min(wanted, extent[Y] / (Tiling::pieces_per_thread * threads)));
  if (std::min(extent[Y] / lines, extent[Z]) >= 2 * threads) {
    tiling.lines = lines;
    tiling.by_diagonals = true;
    return tiling;
  }
  tiling.piece = std::max(Tiling::shortest_piece, extent[X] / (Tiling::pieces_per_thread * threads));
  tiling.lines = round(Tiling::cells_per_piece / tiling.piece);
  return tiling;
}

}  // namespace terrace::structured
