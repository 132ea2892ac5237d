// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symmetric matrices of many shapes for direct factorizations: long trees and wide ones, small fronts and large ones,
// none of which needs pivoting.
#pragma once

#include "reference/elimination_shapes.hpp"

namespace terrace::reference {

/// A band with two dense rows at its end.
inline RealMatrix arrow(int n) {
  return symmetric_links(n, 37, [=](int row, std::mt19937&) {
    std::vector<int> columns{row - 1};
    if (row >= n - 2)
      for (int column = 0; column < row; ++column) columns.push_back(column);
    return columns;
  });
}

/// Rows that know nothing but up to 25 of the dense rows at the end.
inline RealMatrix dense_rows(int n, int dense) {
  return dominant(symmetric_links(n + dense, 43, [=](int row, std::mt19937& generator) {
    std::vector<int> columns;
    if (row < n) return columns;
    if (row > n) columns.push_back(row - 1);
    for (int column = 0; column < n; ++column)
      if (static_cast<int>(generator() % static_cast<unsigned>(dense)) < 25) columns.push_back(column);
    return columns;
  }));
}

inline RealMatrix random_links(int n, int per_row) {
  return symmetric_links(n, 41, [=](int row, std::mt19937& generator) {
    std::vector<int> columns;
    for (int k = 0; k < per_row; ++k)
      columns.push_back(static_cast<int>(generator() % static_cast<unsigned>(std::max(1, row))));
    return columns;
  });
}

/// Side by side, without a link between them.
inline RealMatrix forest(const std::vector<RealMatrix>& trees) {
  RealMatrix matrix;
  for (const auto& part : trees) {
    const int first = matrix.size();
    for (const auto& row : part.rows) {
      matrix.rows.emplace_back();
      for (const auto& [column, value] : row) matrix.rows.back()[first + column] = value;
    }
  }
  return matrix;
}

/// With both signs, or phases, on the diagonal.
template <class Scalar>
GeneralMatrix<Scalar> indefinite(const RealMatrix& matrix) {
  auto result = with_numbers<Scalar>(matrix, false);
  for (int row = 0; row < matrix.size(); ++row) {
    Scalar& diagonal = result.rows[row][row];
    if (row % 3 == 1) diagonal = -diagonal;
    if constexpr (!std::is_floating_point_v<Scalar>)
      if (row % 4 == 2) diagonal = diagonal * number<Scalar>(1.0);
  }
  return result;
}

struct SymmetricShape {
  const char* name;
  RealMatrix matrix;
};

inline std::vector<SymmetricShape> symmetric_shapes() {
  return {{"chain", band(300, 1)},
          {"star", star(150, 70)},
          {"arrow", arrow(140)},
          {"dense", all_linked(70)},
          {"forest", forest({band(40, 2), all_linked(20), star(30, 3), RealMatrix(0), tree(50)})},
          {"diagonal", dominant(RealMatrix(97))},
          {"band", band(200, 9)},
          {"random", random_links(220, 3)},
          {"hubs", hubs(150)},
          {"grid", dominant(poisson<double>(15, 14))},
          {"grid with three unknowns a node", mesh_of_three(dominant(poisson<double>(9, 8)))},
          {"uneven mesh", uneven_mesh(dominant(poisson<double>(7, 6)))}};
}

}  // namespace terrace::reference
