// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "direct/survey_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "common/random.hpp"
#include "matrices/grid_shapes.hpp"

namespace terrace::perf {
namespace {

using common::Random;

/// For a size from a toy one and a full one.
template <class Make>
DirectShape shape(std::string name, int toy, int full, const Make& make) {
  return {std::move(name), {"survey"}, {}, false, [=](Size size) { return make(size == Size::Toy ? toy : full); }};
}

DirectShape grid(std::string name, const LowerStencil& stencil, const Grid& toy, const Grid& full) {
  return {std::move(name), {"survey"}, {}, false, [=](Size size) {
            return grid_pattern(size == Size::Toy ? toy : full, stencil);
          }};
}

std::vector<Edge> edges_of(const LowerTriangle& pattern) {
  std::vector<Edge> edges;
  for (int row = 0; row < pattern.n; ++row)
    for (std::size_t k = pattern.row_map[row]; k + 1 < pattern.row_map[row + 1]; ++k)
      edges.emplace_back(row, pattern.entries[k]);
  return edges;
}

/// Without the edges that chance takes.
LowerTriangle thinned(const LowerTriangle& pattern, double part) {
  Random random(1);
  std::vector<Edge> edges = edges_of(pattern);
  std::erase_if(edges, [&](const Edge&) { return random.uniform() < part; });
  return lower_pattern(pattern.n, edges);
}

/// And the last `count` rows know all vertices.
LowerTriangle with_dense_rows(const LowerTriangle& pattern, int count) {
  std::vector<Edge> edges = edges_of(pattern);
  const int n = pattern.n + count;
  for (int row = pattern.n; row < n; ++row)
    for (int other = 0; other < row; ++other) edges.emplace_back(row, other);
  return lower_pattern(n, edges);
}

/// Several of them that know nothing of each other.
LowerTriangle copies(const LowerTriangle& pattern, int count) {
  std::vector<Edge> edges;
  for (int copy = 0; copy < count; ++copy)
    for (const auto& [a, b] : edges_of(pattern)) edges.emplace_back(a + copy * pattern.n, b + copy * pattern.n);
  return lower_pattern(count * pattern.n, edges);
}

/// Each row knows the `width` rows before it.
LowerTriangle full_band(int n, int width) {
  std::vector<Edge> edges;
  for (int row = 0; row < n; ++row)
    for (int other = std::max(0, row - width); other < row; ++other) edges.emplace_back(row, other);
  return lower_pattern(n, edges);
}
LowerTriangle dense(int n) { return full_band(n, n); }

LowerTriangle star(int n) {
  std::vector<Edge> edges;
  for (int leaf = 1; leaf < n; ++leaf) edges.emplace_back(leaf, 0);
  return lower_pattern(n, edges);
}

/// Each vertex hangs on one before it.
LowerTriangle random_tree(int n) {
  Random random(2);
  std::vector<Edge> edges;
  for (int v = 1; v < n; ++v) edges.emplace_back(v, random.below(v));
  return lower_pattern(n, edges);
}

/// Each vertex knows `links` others, whichever.
LowerTriangle random_graph(int n, int links) {
  Random random(3);
  std::vector<Edge> edges;
  for (int v = 0; v < n; ++v)
    for (int k = 0; k < links; ++k) edges.emplace_back(v, random.below(n));
  return lower_pattern(n, edges);
}

/// Each new vertex links to ends of edges that are there (Barabasi and Albert 1999).
LowerTriangle preferential_attachment(int n, int links) {
  Random random(4);
  std::vector<Edge> edges{{1, 0}};
  for (int v = 2; v < n; ++v)
    for (int k = 0; k < links; ++k) {
      const Edge& edge = edges[static_cast<std::size_t>(random.below(static_cast<int>(edges.size())))];
      edges.emplace_back(v, random.below(2) == 0 ? edge.first : edge.second);
    }
  return lower_pattern(n, edges);
}

/// Of 2^scale vertices, eight edges for each (Chakrabarti, Zhan and Faloutsos 2004).
LowerTriangle recursive_model(int scale) {
  Random random(5);
  std::vector<Edge> edges;
  for (int k = 0; k < 8 << scale; ++k) {
    int row = 0, column = 0;
    for (int bit = 0; bit < scale; ++bit) {
      const double at = random.uniform();
      row = 2 * row + (at >= 0.76 ? 1 : 0);
      column = 2 * column + (at >= 0.57 && at < 0.76) + (at >= 0.95 ? 1 : 0);
    }
    edges.emplace_back(row, column);
  }
  return lower_pattern(1 << scale, edges);
}

LowerTriangle hypercube(int dimensions) {
  std::vector<Edge> edges;
  for (int v = 0; v < 1 << dimensions; ++v)
    for (int d = 0; d < dimensions; ++d) edges.emplace_back(v, v ^ (1 << d));
  return lower_pattern(1 << dimensions, edges);
}

/// Points of a cube, joined where they are so near that one has ten neighbours on average.
LowerTriangle near_points(int n) {
  Random random(6);
  const double near = std::cbrt(10 / (n * 4.19));
  const int cells = std::max(1, static_cast<int>(1 / near));
  std::vector<std::array<double, 3>> points(static_cast<std::size_t>(n));
  std::vector<std::vector<int>> of_cell(static_cast<std::size_t>(cells) * cells * cells);
  const auto cell_of = [&](const std::array<double, 3>& point, int d) { return static_cast<int>(point[d] * cells); };
  std::vector<Edge> edges;
  for (int v = 0; v < n; ++v) {
    auto& point = points[v];
    for (double& x : point) x = random.uniform();
    const int at[] = {cell_of(point, 0), cell_of(point, 1), cell_of(point, 2)};
    for (int k = 0; k < 27; ++k) {
      const int x = at[0] + k % 3 - 1, y = at[1] + k / 3 % 3 - 1, z = at[2] + k / 9 - 1;
      if (std::min({x, y, z}) < 0 || std::max({x, y, z}) >= cells) continue;
      for (const int other : of_cell[(x * cells + y) * cells + z]) {
        const auto& b = points[other];
        if (std::hypot(point[0] - b[0], point[1] - b[1], point[2] - b[2]) < near) edges.emplace_back(v, other);
      }
    }
    of_cell[(at[0] * cells + at[1]) * cells + at[2]].push_back(v);
  }
  return lower_pattern(n, edges);
}

LowerTriangle chain(int n) { return full_band(n, 1); }
LowerTriangle plane(int side) { return grid_pattern({side, side, 1}, five_point()); }
LowerTriangle cube(int side, const LowerStencil& stencil) { return grid_pattern({side, side, side}, stencil); }

}  // namespace

std::vector<DirectShape> survey_shapes() {
  const LowerStencil solid = twenty_seven_point(), shell = nine_point();
  return {
      shape("survey-roads", 20, 400, [](int side) { return thinned(plane(side), 1.0 / 3); }),
      shape("survey-attachment", 300, 30000, [](int n) { return preferential_attachment(n, 2); }),
      shape("survey-rmat", 8, 13, recursive_model),
      shape("survey-chain", 500, 1000000, chain),
      shape("survey-chain-dense", 500, 200000, [](int n) { return with_dense_rows(chain(n), 20); }),
      shape("survey-star", 300, 100000, star),
      shape("survey-dense", 60, 2000, dense),
      shape("survey-dense-300", 30, 300, dense),
      shape("survey-band-100", 500, 20000, [](int n) { return full_band(n, 100); }),
      shape("survey-band-6", 500, 100000, [](int n) { return full_band(n, 6); }),
      shape("survey-random", 300, 10000, [](int n) { return random_graph(n, 2); }),
      grid("survey-grid7-15", seven_point(), {5, 5, 5}, {15, 15, 15}),
      grid("survey-grid5-40", five_point(), {10, 10, 1}, {40, 40, 1}),
      grid("survey-grid27-12", solid, {4, 4, 4}, {12, 12, 12}),
      grid("survey-shell-30", shell, {6, 6, 1, 6}, {30, 30, 1, 6}),
      grid("survey-beam", solid, {30, 2, 2, 3}, {4000, 2, 2, 3}),
      grid("survey-slab", seven_point(), {12, 12, 2}, {200, 200, 4}),
      grid("survey-solid-11", solid, {4, 4, 4, 3}, {11, 11, 11, 3}),
      shape("survey-blocks", 10, 3000, [](int count) { return copies(dense(24), count); }),
      shape("survey-tree", 500, 500000, random_tree),
      shape("survey-supplies", 12, 300, [](int side) { return with_dense_rows(plane(side), 2); }),
      shape("survey-parts", 5, 300, [](int count) { return copies(cube(10, seven_point()), count); }),
      shape("survey-hypercube", 7, 12, hypercube),
      shape("survey-thinned", 6, 30, [](int side) { return thinned(cube(side, twenty_seven_point()), 0.5); }),
      shape("survey-points", 500, 50000, near_points),
      shape("survey-diagonal", 20, 20, [](int n) { return full_band(n, 0); }),
      shape("survey-chain-400", 40, 400, chain),
  };
}

}  // namespace terrace::perf
