// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns of lower triangles: of matrices on structured grids, of random graphs, and with little or no parallelism.
#pragma once

#include <cstdint>
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

/// Probabilities of the quadrants of a recursive matrix; the fourth has the rest.
struct RMat {
  double a, b, c;
};

/// A graph of `edges` draws by the recursive matrix model (Chakrabarti, Zhan and Faloutsos, SDM 2004);
/// repetitions and loops drop out. Vertices keep the model's order, hubs first, which is what makes the
/// dependences long.
LowerTriangle rmat_pattern(int n, std::int64_t edges, const RMat& quadrants, unsigned seed);

/// A grid graph of which each edge is kept with a probability. Vertices are numbered tile by tile, the tiles of
/// edge `tile` in random order, naturally inside: 1 is a random numbering, and larger tiles give longer
/// dependences.
LowerTriangle road_pattern(int nx, int ny, double kept, int tile, unsigned seed);

/// A union of overlapping cliques: each film joins all of its cast.
struct Films {
  int count;  ///< of films
  int smallest_cast;
  int largest_cast;
  double tail;  ///< exponent of the power law by which casts grow rare with their size
  int reach;    ///< a cast is drawn from reach * its size neighbouring actors
};
LowerTriangle cliques_pattern(int n, const Films& films, unsigned seed);

/// All entries: n levels.
LowerTriangle dense_pattern(int n);

/// Each row reads the row before it: n levels.
LowerTriangle chain_pattern(int n);

/// Each row reads `draws` rows drawn from the `bandwidth` rows before it.
LowerTriangle random_band_pattern(int n, int bandwidth, int draws, unsigned seed);

}  // namespace terrace::perf
