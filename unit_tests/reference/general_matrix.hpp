// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Square matrices for tests, as rows of column -> value, and the textbook grids.
#pragma once

#include "reference/substitution.hpp"

namespace terrace::reference {

template <class Scalar>
struct GeneralMatrix {
  std::vector<std::map<int, Scalar>> rows;

  explicit GeneralMatrix(int n = 0) : rows(static_cast<std::size_t>(n)) {}
  int size() const { return static_cast<int>(rows.size()); }
  bool has(int row, int column) const { return rows[row].count(column) > 0; }
  Scalar at(int row, int column) const { return has(row, column) ? rows[row].at(column) : Scalar(0); }
};

/// About `per_row` entries in each row beside a diagonal that outweighs them.
template <class Scalar>
GeneralMatrix<Scalar> random_matrix(int n, int per_row, unsigned seed) {
  std::mt19937 generator(seed);
  GeneralMatrix<Scalar> matrix(n);
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < per_row; ++k)
      matrix.rows[row][static_cast<int>(generator() % static_cast<unsigned>(n))] = random_scalar<Scalar>(generator);
    matrix.rows[row][row] = Scalar(static_cast<Real<Scalar>>(3 * per_row)) + random_scalar<Scalar>(generator);
  }
  return matrix;
}

/// The lower triangle of a random matrix, mirrored; conjugated when it shall be Hermitian.
template <class Scalar>
GeneralMatrix<Scalar> random_symmetric(int n, int per_row, bool hermitian, unsigned seed) {
  const auto general = random_matrix<Scalar>(n, per_row, seed);
  GeneralMatrix<Scalar> matrix(n);
  for (int row = 0; row < n; ++row) {
    for (const auto& [column, value] : general.rows[row]) {
      if (column >= row) continue;
      matrix.rows[row][column] = value;
      matrix.rows[column][row] = hermitian ? conjugate_of(value) : value;
    }
    const Scalar diagonal = general.at(row, row);
    matrix.rows[row][row] =
        (hermitian ? (diagonal + conjugate_of(diagonal)) / Real<Scalar>(2) : diagonal) * Real<Scalar>(3);
  }
  return matrix;
}

/// -Laplace u + wind (u_x + u_y) on an nx x ny x nz grid with unit steps, central differences.
template <class Scalar>
GeneralMatrix<Scalar> convection_diffusion(int nx, int ny, int nz, double wind) {
  GeneralMatrix<Scalar> matrix(nx * ny * nz);
  const auto number = [&](int x, int y, int z) { return (z * ny + y) * nx + x; };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        auto& row = matrix.rows[number(x, y, z)];
        row[number(x, y, z)] = Scalar(static_cast<Real<Scalar>>(nz > 1 ? 6 : 4));
        const auto neighbour = [&](bool inside, int dx, int dy, int dz, double value) {
          if (inside) row[number(x + dx, y + dy, z + dz)] = Scalar(static_cast<Real<Scalar>>(value));
        };
        neighbour(x > 0, -1, 0, 0, -1 - wind / 2);
        neighbour(x + 1 < nx, 1, 0, 0, -1 + wind / 2);
        neighbour(y > 0, 0, -1, 0, -1 - wind / 2);
        neighbour(y + 1 < ny, 0, 1, 0, -1 + wind / 2);
        neighbour(z > 0, 0, 0, -1, -1);
        neighbour(z + 1 < nz, 0, 0, 1, -1);
      }
  return matrix;
}

template <class Scalar>
GeneralMatrix<Scalar> poisson(int nx, int ny, int nz = 1) {
  return convection_diffusion<Scalar>(nx, ny, nz, 0.0);
}

/// The rows as arrays, each in ascending order or shuffled.
template <class Scalar>
CompressedArrays<Scalar> compress(const GeneralMatrix<Scalar>& matrix, bool sorted = true, unsigned seed = 1) {
  std::mt19937 generator(seed);
  CompressedArrays<Scalar> arrays;
  for (const auto& row : matrix.rows) {
    std::vector<std::pair<int, Scalar>> entries(row.begin(), row.end());
    if (!sorted) std::shuffle(entries.begin(), entries.end(), generator);
    for (const auto& [column, value] : entries) {
      arrays.entries.push_back(column);
      arrays.values.push_back(value);
    }
    arrays.row_map.push_back(arrays.entries.size());
  }
  return arrays;
}

template <class Scalar>
std::vector<Scalar> multiply(const GeneralMatrix<Scalar>& matrix, const std::vector<Scalar>& x) {
  std::vector<Scalar> y(x.size(), Scalar(0));
  for (int row = 0; row < matrix.size(); ++row)
    for (const auto& [column, value] : matrix.rows[row]) y[row] += value * x[column];
  return y;
}

}  // namespace terrace::reference
