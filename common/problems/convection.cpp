// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/problems/convection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <terrace/error.hpp>

#include "common/problems/grid_problem.hpp"

namespace terrace::common {
namespace {

/// The wind at a node, along x, y and z.
std::array<double, 3> wind_at(const Grid& grid, const GridCell& at, double wind) {
  const double radius = std::max({grid.nx - 1, grid.ny - 1, 1}) / 2.0;
  const double x = at.i - (grid.nx - 1) / 2.0, y = at.j - (grid.ny - 1) / 2.0;
  return {-wind * y / radius, wind * x / radius, grid.nz > 1 ? wind / 2 : 0.0};
}

}  // namespace

RowsProblem make_convection(const Grid& grid, double wind) {
  if (!(wind >= 0.0 && std::isfinite(wind)))
    throw Error(ErrorCode::InvalidOption, "the wind is " + std::to_string(wind) + "; it is finite and not negative");
  check_rows(grid, 1);
  RowsProblem problem{grid, 1, {}, {}, std::vector<double>(static_cast<std::size_t>(grid.cells()), 1.0)};
  HostMatrix<double>& A = problem.A;
  A.n = static_cast<int>(grid.cells());
  A.row_map.reserve(static_cast<std::size_t>(A.n) + 1);
  A.entries.reserve(static_cast<std::size_t>(count_entries(grid)));
  A.values.reserve(A.entries.capacity());
  for_each_cell(grid, [&](const GridCell& at) {
    const auto v = wind_at(grid, at, wind);
    const double center = (grid.nz > 1 ? 6.0 : 4.0) + std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]);
    for_each_column(grid, at, [&](std::size_t column, int d, int side) {
      A.entries.push_back(static_cast<int>(column));
      A.values.push_back(side == 0 ? center : -1.0 - std::max(0.0, -side * v[static_cast<std::size_t>(d)]));
    });
    A.row_map.push_back(A.entries.size());
  });
  return problem;
}

}  // namespace terrace::common
