// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of grids for tests: made from a seed, kept as diagonals on the host, and read row by row.
#pragma once

#include <map>
#include <random>
#include <terrace/grid.hpp>
#include <vector>

#include "reference/sparse_triangle.hpp"

namespace terrace::reference {

/// lower[d][c] and upper[d][c] stand in row c, for the neighbours in direction d.
template <class Scalar>
struct GridMatrix {
  Grid grid;
  std::vector<Scalar> center;
  std::vector<Scalar> lower[3], upper[3];

  int size() const { return static_cast<int>(center.size()); }

  std::map<int, Scalar> row(int c) const {
    const GridCell at = grid.cell(c);
    const int place[3] = {at.i, at.j, at.k}, extent[3] = {grid.nx, grid.ny, grid.nz};
    const int step[3] = {1, grid.nx, grid.nx * grid.ny};
    std::map<int, Scalar> entries{{c, center[c]}};
    for (int d = 0; d < 3; ++d) {
      if (place[d] > 0) entries[c - step[d]] = lower[d][c];
      if (place[d] + 1 < extent[d]) entries[c + step[d]] = upper[d][c];
    }
    return entries;
  }

  std::vector<std::map<int, Scalar>> rows() const {
    std::vector<std::map<int, Scalar>> all;
    for (int c = 0; c < size(); ++c) all.push_back(row(c));
    return all;
  }
};

/// Random coefficients between -1 and 1, zero across the boundary; the centre outweighs them by `dominance`.
template <class Scalar>
GridMatrix<Scalar> make_grid_matrix(const Grid& grid, bool symmetric, unsigned seed, double dominance = 1.1) {
  std::mt19937 generator(seed);
  const auto n = static_cast<std::size_t>(grid.cells());
  GridMatrix<Scalar> matrix{grid, std::vector<Scalar>(n), {}, {}};
  const int extent[3] = {grid.nx, grid.ny, grid.nz}, step[3] = {1, grid.nx, grid.nx * grid.ny};
  for (int d = 0; d < 3; ++d) {
    matrix.lower[d].assign(n, Scalar(0));
    matrix.upper[d].assign(n, Scalar(0));
    for (std::size_t c = 0; c < n; ++c) {
      if (static_cast<int>(c) / step[d] % extent[d] == extent[d] - 1) continue;
      matrix.upper[d][c] = random_scalar<Scalar>(generator);
      matrix.lower[d][c + step[d]] = symmetric ? matrix.upper[d][c] : random_scalar<Scalar>(generator);
    }
  }
  for (int c = 0; c < matrix.size(); ++c) {
    double sum = 0.1;
    for (const auto& [column, value] : matrix.row(c)) sum += std::abs(static_cast<double>(value));
    matrix.center[c] = static_cast<Scalar>(dominance * sum);
  }
  return matrix;
}

/// -1 between neighbours and the number of directions twice in the centre: the Laplacian with Dirichlet boundaries.
template <class Scalar>
GridMatrix<Scalar> make_poisson(const Grid& grid) {
  auto matrix = make_grid_matrix<Scalar>(grid, true, 1);
  const int directions = (grid.nx > 1) + (grid.ny > 1) + (grid.nz > 1);
  matrix.center.assign(matrix.center.size(), Scalar(2 * directions));
  for (int d = 0; d < 3; ++d)
    for (auto* side : {&matrix.lower[d], &matrix.upper[d]})
      for (Scalar& value : *side) value = value == Scalar(0) ? Scalar(0) : Scalar(-1);
  return matrix;
}

/// A x.
template <class Scalar>
std::vector<Scalar> multiply(const std::vector<std::map<int, Scalar>>& rows, const std::vector<Scalar>& x) {
  std::vector<Scalar> y(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    double sum = 0;
    for (const auto& [column, value] : rows[row]) sum += static_cast<double>(value) * static_cast<double>(x[column]);
    y[row] = static_cast<Scalar>(sum);
  }
  return y;
}

template <class Scalar>
std::vector<std::map<int, Scalar>> transpose(const std::vector<std::map<int, Scalar>>& rows) {
  std::vector<std::map<int, Scalar>> result(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (const auto& [column, value] : rows[row]) result[column][static_cast<int>(row)] = value;
  return result;
}

}  // namespace terrace::reference
