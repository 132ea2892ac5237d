// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lower triangles of matrices on structured grids.
#pragma once

#include <vector>

#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

/// A neighbour's position relative to a node.
struct Offset {
  int x, y, z;
};

/// The neighbours that come before a node in natural order (x fastest, then y, then z), in that order.
using LowerStencil = std::vector<Offset>;

LowerStencil five_point();
LowerStencil seven_point();
LowerStencil nine_point();  ///< in a plane
LowerStencil twenty_seven_point();

/// The 27-point stencil without the pair of neighbours (1, 1, -1) and (-1, -1, 1).
LowerStencil twenty_five_point();

/// A sparse stencil of 15 points, as linear tetrahedra have, that a sweep crosses slowly: going up one layer
/// costs four levels.
LowerStencil fifteen_point();

struct Grid {
  int nx, ny, nz;
  int unknowns = 1;  ///< per node, coupled to each other and to all of a neighbour's
};

/// The pattern of a grid's matrix in natural order.
LowerTriangle grid_pattern(const Grid& grid, const LowerStencil& stencil);

/// The pattern of an equality-constrained optimization on a cube of points: the first half of the rows are
/// diagonal, the second half read the 27 neighbours of their point in the first half. Two levels.
LowerTriangle kkt_pattern(int points_per_edge);

}  // namespace terrace::perf
