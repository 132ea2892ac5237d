// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lower triangles of random graphs: road networks, webs, social networks, casts of films.
#pragma once

#include <cstdint>
#include <vector>

#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

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

/// A binary tree with its root first, whose first `hubs` vertices are joined to `spokes` others each, drawn at random.
LowerTriangle hubs_pattern(int n, int hubs, int spokes, unsigned seed);

/// With one row more, the last, which reads all others: a system with a constraint on all its unknowns.
LowerTriangle constrained(LowerTriangle L);

/// The first vertices are all linked; the others are a path that begins at the last of them.
LowerTriangle clique_and_path_pattern(int n, int clique);

/// A network of which each vertex is joined to two of the `reach` before it, and one of eight to one of the last
/// vertices, the supplies; numbered at random.
LowerTriangle circuit_pattern(int n, int reach, int supplies, unsigned seed);

/// Parts with about eight entries a row, and behind them `border` vertices that are all linked and joined to a fifth of
/// the others, six of them to each.
LowerTriangle bordered_parts_pattern(int parts, int rows_of_part, int border, unsigned seed);

/// Preferential attachment (Barabasi and Albert, Science 286, 1999): each vertex is joined to `links` ends of edges
/// that are there already. The oldest, which have most neighbours, come first.
LowerTriangle attachment_pattern(int n, int links, unsigned seed);

/// The same graph with its vertices numbered at random.
LowerTriangle renumbered(const LowerTriangle& L, unsigned seed);

/// The same graph, its vertices with these numbers.
LowerTriangle renumbered(const LowerTriangle& L, const std::vector<int>& number);

}  // namespace terrace::perf
