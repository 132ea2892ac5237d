// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices/grid_shapes.hpp"

namespace terrace::perf {
namespace {

// The neighbours in the cube of edge 3 that come before its centre, in natural order.
template <class Predicate>
LowerStencil neighbours_before_centre(Predicate keep) {
  LowerStencil stencil;
  for (int z = -1; z <= 0; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const bool before = z < 0 || y < 0 || (y == 0 && x < 0);
        if (before && !(z == 0 && y > 0) && keep(Offset{x, y, z})) stencil.push_back({x, y, z});
      }
  return stencil;
}

bool contains(const Grid& grid, const Offset& p) {
  return p.x >= 0 && p.x < grid.nx && p.y >= 0 && p.y < grid.ny && p.z >= 0 && p.z < grid.nz;
}

int node_number(const Grid& grid, const Offset& p) { return (p.z * grid.ny + p.y) * grid.nx + p.x; }

// Appends the rows of one node: each of its unknowns reads `columns` and the unknowns before it.
void append_rows(LowerTriangle& L, int node, int unknowns, const std::vector<int>& columns) {
  for (int u = 0; u < unknowns; ++u) {
    L.entries.insert(L.entries.end(), columns.begin(), columns.end());
    for (int v = 0; v <= u; ++v) L.entries.push_back(node * unknowns + v);
    L.row_map.push_back(L.entries.size());
  }
}

}  // namespace

LowerStencil five_point() { return {{0, -1, 0}, {-1, 0, 0}}; }

LowerStencil nine_point() { return {{-1, -1, 0}, {0, -1, 0}, {1, -1, 0}, {-1, 0, 0}}; }

LowerStencil seven_point() { return {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}}; }

LowerStencil twenty_seven_point() {
  return neighbours_before_centre([](const Offset&) { return true; });
}

LowerStencil twenty_five_point() {
  return neighbours_before_centre([](const Offset& p) { return !(p.x == 1 && p.y == 1 && p.z == -1); });
}

LowerStencil fifteen_point() {
  return {{-1, -1, -1}, {0, 0, -1}, {1, 1, -1}, {-1, -1, 0}, {0, -1, 0}, {1, -1, 0}, {-1, 0, 0}};
}

LowerTriangle grid_pattern(const Grid& grid, const LowerStencil& stencil) {
  LowerTriangle L{grid.nx * grid.ny * grid.nz * grid.unknowns, {0}, {}, {}};
  const auto rows = static_cast<std::size_t>(L.n);
  L.row_map.reserve(rows + 1);
  L.entries.reserve(rows * (stencil.size() * grid.unknowns + (grid.unknowns + 1) / 2));
  std::vector<int> columns;
  for (int z = 0; z < grid.nz; ++z)
    for (int y = 0; y < grid.ny; ++y)
      for (int x = 0; x < grid.nx; ++x) {
        columns.clear();
        for (const Offset& d : stencil) {
          const Offset p{x + d.x, y + d.y, z + d.z};
          if (!contains(grid, p)) continue;
          for (int u = 0; u < grid.unknowns; ++u) columns.push_back(node_number(grid, p) * grid.unknowns + u);
        }
        append_rows(L, node_number(grid, {x, y, z}), grid.unknowns, columns);
      }
  return L;
}

LowerTriangle kkt_pattern(int points_per_edge) {
  const Grid cube{points_per_edge, points_per_edge, points_per_edge};
  const int points = cube.nx * cube.ny * cube.nz;
  LowerTriangle L{2 * points, {0}, {}, {}};
  for (int row = 0; row < points; ++row) append_rows(L, row, 1, {});
  std::vector<int> columns;
  for (int point = 0; point < points; ++point) {
    const Offset centre{point % cube.nx, point / cube.nx % cube.ny, point / cube.nx / cube.ny};
    columns.clear();
    for (int d = 0; d < 27; ++d) {
      const Offset p{centre.x + d % 3 - 1, centre.y + d / 3 % 3 - 1, centre.z + d / 9 - 1};
      if (contains(cube, p)) columns.push_back(node_number(cube, p));
    }
    append_rows(L, points + point, 1, columns);
  }
  return L;
}

}  // namespace terrace::perf
