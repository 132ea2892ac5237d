// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices/graph_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/random.hpp"

namespace terrace::perf {
namespace {

// One draw: a quadrant per bit of the vertex numbers, the high bits first.
Edge draw_rmat_edge(int bits, const RMat& q, common::Random& random) {
  int u = 0, v = 0;
  for (int bit = 0; bit < bits; ++bit) {
    const double where = random.uniform();
    const bool down = where >= q.a + q.b;
    const bool right = down ? where >= q.a + q.b + q.c : where >= q.a;
    u = 2 * u + (down ? 1 : 0);
    v = 2 * v + (right ? 1 : 0);
  }
  return {u, v};
}

std::vector<int> shuffled(int n, common::Random& random) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  return order;
}

// The new number of every vertex of an nx x ny grid that is numbered tile by tile.
std::vector<int> number_by_tiles(int nx, int ny, int tile, common::Random& random) {
  const int tiles_x = (nx + tile - 1) / tile, tiles_y = (ny + tile - 1) / tile;
  std::vector<int> number(static_cast<std::size_t>(nx) * ny);
  int next = 0;
  for (int t : shuffled(tiles_x * tiles_y, random)) {
    const int x0 = t % tiles_x * tile, y0 = t / tiles_x * tile;
    for (int y = y0; y < std::min(ny, y0 + tile); ++y)
      for (int x = x0; x < std::min(nx, x0 + tile); ++x) number[static_cast<std::size_t>(y) * nx + x] = next++;
  }
  return number;
}

// P(size > s) falls as s^-tail between the smallest and the largest cast.
int draw_cast_size(const Films& films, common::Random& random) {
  const double least = std::pow(static_cast<double>(films.largest_cast) / films.smallest_cast, -films.tail);
  const double rank = least + (1.0 - least) * random.uniform();
  return static_cast<int>(films.smallest_cast * std::pow(rank, -1.0 / films.tail));
}

}  // namespace

LowerTriangle rmat_pattern(int n, std::int64_t edges, const RMat& quadrants, unsigned seed) {
  common::Random random(seed);
  int bits = 0;
  while ((std::int64_t{1} << bits) < n) ++bits;
  std::vector<Edge> drawn;
  drawn.reserve(static_cast<std::size_t>(edges));
  while (static_cast<std::int64_t>(drawn.size()) < edges) {
    const Edge edge = draw_rmat_edge(bits, quadrants, random);
    if (edge.first < n && edge.second < n) drawn.push_back(edge);
  }
  return lower_pattern(n, drawn);
}

LowerTriangle road_pattern(int nx, int ny, double kept, int tile, unsigned seed) {
  common::Random random(seed);
  const std::vector<int> number = number_by_tiles(nx, ny, tile, random);
  const auto at = [&](int x, int y) { return number[static_cast<std::size_t>(y) * nx + x]; };
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(2.0 * kept * nx * ny));
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      if (x > 0 && random.uniform() < kept) edges.emplace_back(at(x, y), at(x - 1, y));
      if (y > 0 && random.uniform() < kept) edges.emplace_back(at(x, y), at(x, y - 1));
    }
  return lower_pattern(nx * ny, edges);
}

LowerTriangle cliques_pattern(int n, const Films& films, unsigned seed) {
  common::Random random(seed);
  std::vector<Edge> edges;
  std::vector<int> cast;
  for (int film = 0; film < films.count; ++film) {
    const int size = draw_cast_size(films, random);
    const int pool = std::min(n, size * films.reach);
    const int first = random.below(n - pool + 1);
    cast.clear();
    for (int member = 0; member < size; ++member) cast.push_back(first + random.below(pool));
    for (std::size_t u = 1; u < cast.size(); ++u)
      for (std::size_t v = 0; v < u; ++v) edges.emplace_back(cast[u], cast[v]);
  }
  return lower_pattern(n, edges);
}

LowerTriangle hubs_pattern(int n, int hubs, int spokes, unsigned seed) {
  common::Random random(seed);
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(n) + static_cast<std::size_t>(hubs) * static_cast<std::size_t>(spokes));
  for (int row = 1; row < n; ++row) edges.emplace_back(row, row / 2);
  for (int hub = 0; hub < hubs; ++hub)
    for (int spoke = 0; spoke < spokes; ++spoke) edges.emplace_back(hub, random.below(n));
  return lower_pattern(n, edges);
}

LowerTriangle constrained(LowerTriangle L) {
  for (int column = 0; column <= L.n; ++column) L.entries.push_back(column);
  L.row_map.push_back(L.entries.size());
  ++L.n;
  return L;
}

LowerTriangle clique_and_path_pattern(int n, int clique) {
  std::vector<Edge> edges;
  for (int row = 1; row < n; ++row)
    for (int column = row < clique ? 0 : row - 1; column < row; ++column) edges.emplace_back(row, column);
  return lower_pattern(n, edges);
}

LowerTriangle circuit_pattern(int n, int reach, int supplies, unsigned seed) {
  common::Random random(seed);
  std::vector<Edge> edges;
  for (int vertex = 1; vertex < n; ++vertex) {
    for (int link = 0; link < 2; ++link) edges.emplace_back(vertex, std::max(0, vertex - 1 - random.below(reach)));
    if (random.below(8) == 0) edges.emplace_back(n - 1 - random.below(supplies), vertex);
  }
  return renumbered(lower_pattern(n, edges), seed + 1);
}

LowerTriangle bordered_parts_pattern(int parts, int rows_of_part, int border, unsigned seed) {
  common::Random random(seed);
  const int first_of_border = parts * rows_of_part;
  std::vector<Edge> edges;
  for (int row = 0; row < first_of_border; ++row) {
    const int first = row / rows_of_part * rows_of_part;
    for (int link = 0; link < 4; ++link) edges.emplace_back(row, first + random.below(rows_of_part));
    for (int link = 0; row % 5 == 0 && link < 6; ++link)
      edges.emplace_back(first_of_border + random.below(border), row);
  }
  for (int row = 0; row < border; ++row)
    for (int column = 0; column < row; ++column) edges.emplace_back(first_of_border + row, first_of_border + column);
  return lower_pattern(first_of_border + border, edges);
}

LowerTriangle attachment_pattern(int n, int links, unsigned seed) {
  common::Random random(seed);
  std::vector<Edge> edges{{1, 0}};
  std::vector<int> ends{1, 0};
  for (int vertex = 2; vertex < n; ++vertex) {
    const int before = static_cast<int>(ends.size());
    for (int link = 0; link < links; ++link) {
      const int end = ends[random.below(before)];
      edges.emplace_back(vertex, end);
      ends.push_back(vertex);
      ends.push_back(end);
    }
  }
  return lower_pattern(n, edges);
}

LowerTriangle renumbered(const LowerTriangle& L, unsigned seed) {
  common::Random random(seed);
  return renumbered(L, shuffled(L.n, random));
}

LowerTriangle renumbered(const LowerTriangle& L, const std::vector<int>& number) {
  std::vector<Edge> edges;
  edges.reserve(L.entries.size());
  for (int row = 0; row < L.n; ++row)
    for (std::size_t k = L.row_map[row]; k < L.row_map[row + 1]; ++k)
      edges.emplace_back(number[row], number[L.entries[k]]);
  return lower_pattern(L.n, edges);
}

}  // namespace terrace::perf
