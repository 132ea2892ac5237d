// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/grid_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace terrace::fuzz {
namespace {

int step_of(const Grid& grid, int direction) {
  return direction == 0 ? 1 : direction == 1 ? grid.nx : grid.nx * grid.ny;
}

bool has_neighbour(const Grid& grid, int cell, int direction, bool above) {
  const GridCell at = grid.cell(cell);
  const int place[3] = {at.i, at.j, at.k}, extent[3] = {grid.nx, grid.ny, grid.nz};
  return above ? place[direction] + 1 < extent[direction] : place[direction] > 0;
}

int draw_extent(Draw& draw, int largest) { return draw.chance(0.25) ? 1 : draw.between(2, largest); }

}  // namespace

HostGridMatrix draw_grid_matrix(Draw& draw, const ScalarTraits& traits) {
  HostGridMatrix matrix;
  matrix.grid = draw.chance(0.5) ? Grid{draw_extent(draw, 70), draw_extent(draw, 70), 1}
                                 : Grid{draw_extent(draw, 20), draw_extent(draw, 18), draw_extent(draw, 14)};
  matrix.is_symmetric = draw.chance(0.6);
  matrix.is_wild = draw.chance(0.2);
  draw.note(to_string(matrix.grid), matrix.is_symmetric ? " symmetric" : " general", matrix.is_wild ? " wild" : "");
  matrix.draw_values(draw, traits);
  return matrix;
}

void HostGridMatrix::draw_values(Draw& draw, const ScalarTraits& traits) {
  const auto n = static_cast<std::size_t>(size());
  for (auto& diagonal : diagonals) diagonal.assign(n, 0.0);
  std::vector<double> weight(n, 0.1);
  for (int cell = 0; cell < size(); ++cell)
    for (int d = 0; d < 3; ++d) {
      if (!has_neighbour(grid, cell, d, true)) continue;
      const int next = cell + step_of(grid, d);
      const Number up = traits.rounded(is_wild ? draw.signed_uniform() : -draw.uniform());
      const Number down = is_symmetric ? up : traits.rounded(is_wild ? draw.signed_uniform() : -draw.uniform());
      diagonals[1 + d][cell] = up;
      if (!is_symmetric) diagonals[4 + d][next] = down;
      weight[cell] += std::abs(up);
      weight[next] += std::abs(down);
    }
  const double share = is_wild ? 0.6 : 1.0;
  for (std::size_t cell = 0; cell < n; ++cell) diagonals[0][cell] = traits.rounded(share * weight[cell]);
  if (draw.chance(0.06)) {
    draw.note("zero-center");
    diagonals[0][static_cast<std::size_t>(draw.below(size()))] = draw.pick({0.0, -1.0});
  }
  if (draw.chance(0.06)) {
    draw.note("nonfinite");
    diagonals[0][static_cast<std::size_t>(draw.below(size()))] = std::numeric_limits<double>::quiet_NaN();
  }
}

Rows HostGridMatrix::rows() const {
  Rows result(diagonals[0].size());
  for (int cell = 0; cell < size(); ++cell) {
    Row& row = result[cell];
    for (int d = 2; d >= 0; --d)
      if (has_neighbour(grid, cell, d, false)) {
        const int before = cell - step_of(grid, d);
        row.emplace_back(before, is_symmetric ? diagonals[1 + d][before] : diagonals[4 + d][cell]);
      }
    row.emplace_back(cell, diagonals[0][cell]);
    for (int d = 0; d < 3; ++d)
      if (has_neighbour(grid, cell, d, true)) row.emplace_back(cell + step_of(grid, d), diagonals[1 + d][cell]);
  }
  return result;
}

bool HostGridMatrix::lacks_positive_center() const {
  return is_symmetric &&
         std::any_of(diagonals[0].begin(), diagonals[0].end(), [](const Number& value) { return !(value.real() > 0); });
}

MergedFactor HostGridMatrix::merged(const Numbers& inverse_pivots, double relaxation, double shift,
                                    const ScalarTraits& traits) const {
  const Rows a = rows();
  const double tolerance = 200 * traits.epsilon;
  MergedFactor factor;
  factor.rows = a;
  for (int cell = 0; cell < size(); ++cell) {
    double pivot = 0, sizes = 0;
    for (const auto& [column, value] : a[cell]) {
      if (column == cell) {
        pivot += value.real() * (1 + shift);
        sizes += std::abs(value.real() * (1 + shift));
      }
      if (column >= cell) continue;
      for (const auto& [other, right] : a[column]) {
        if (other <= column) continue;
        const double term = (value * inverse_pivots[column] * right).real() * (other == cell ? 1.0 : relaxation);
        pivot -= term;
        sizes += std::abs(term);
      }
    }
    const double inverse = inverse_pivots[cell].real();
    expect(std::abs(1 - pivot * inverse) <= tolerance * std::max(1.0, sizes * std::abs(inverse)), "the pivot of cell ",
           cell, " is ", 1 / inverse, " and not ", pivot);
    for (auto& [column, value] : factor.rows[cell]) {
      if (column < cell) value *= inverse_pivots[column];
      if (column == cell) value = 1.0 / inverse_pivots[cell];
    }
  }
  return factor;
}

}  // namespace terrace::fuzz
