// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of many shapes for incomplete factorizations: each asks for another way to eliminate, with rows of every
// length.
#pragma once

#include <numeric>

#include "reference/compressed_triangle.hpp"
#include "reference/general_matrix.hpp"

namespace terrace::reference {

using RealMatrix = GeneralMatrix<double>;

/// Diagonals that outweigh the rows, so that pivots stay away from zero.
inline RealMatrix dominant(RealMatrix matrix) {
  for (int row = 0; row < matrix.size(); ++row) {
    double sum = 1;
    for (const auto& [column, value] : matrix.rows[row]) sum += column == row ? 0 : std::abs(value);
    matrix.rows[row][row] = sum;
  }
  return matrix;
}

inline RealMatrix symmetric_links(int n, unsigned seed, const auto& links_of) {
  RealMatrix matrix(n);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int row = 0; row < n; ++row)
    for (const int column : links_of(row, generator))
      if (column >= 0 && column < row) matrix.rows[row][column] = matrix.rows[column][row] = value(generator);
  return dominant(matrix);
}

inline RealMatrix band(int n, int width) {
  return symmetric_links(n, 3, [&](int row, std::mt19937& generator) {
    std::vector<int> columns;
    for (int k = 1; k <= width; ++k)
      if (k == 1 || generator() % 2 == 0) columns.push_back(row - k);
    return columns;
  });
}

/// A tree that is deep in some places and wide in others.
inline RealMatrix tree(int n) {
  return symmetric_links(n, 5, [](int row, std::mt19937& generator) {
    return std::vector<int>{row - 1 - static_cast<int>(generator() % static_cast<unsigned>(std::max(1, row)))};
  });
}

/// Rows that everybody needs, rows that need everybody, and a band between them.
inline RealMatrix hubs(int n) {
  return symmetric_links(n, 7, [n](int row, std::mt19937& generator) {
    std::vector<int> columns{row - 1, row - static_cast<int>(generator() % 20), 0, 1};
    if (row > n - 3)
      for (int column = 0; column < row; column += 2) columns.push_back(column);
    return columns;
  });
}

/// A tree with hubs at its beginning and in its middle, each linked to three of four others.
inline RealMatrix tree_with_hubs(int n) {
  return symmetric_links(n, 43, [n](int row, std::mt19937& generator) {
    std::vector<int> columns{row - 1 - static_cast<int>(generator() % static_cast<unsigned>(std::max(1, row)))};
    for (const int hub : {0, 1, 2, n / 2})
      if ((row + hub) % 4 != 0) columns.push_back(hub);
    for (int column = 0; row == n / 2 && column < row; ++column)
      if ((row + column) % 4 != 0) columns.push_back(column);
    return columns;
  });
}

/// So many rows behind all others, each linked to all of them, or to three of four.
inline RealMatrix ends_with_long_rows(const RealMatrix& matrix, int rows) {
  const int first = matrix.size();
  RealMatrix result(first + rows);
  std::copy(matrix.rows.begin(), matrix.rows.end(), result.rows.begin());
  for (int row = first; row < first + rows; ++row)
    for (int column = 0; column < row; ++column)
      if (row % 2 == first % 2 || (row + column) % 4 != 0)
        result.rows[row][column] = result.rows[column][row] = (1 + column % 7) / 16.0;
  return dominant(result);
}

/// A hub that all others are linked to, and nothing else.
inline RealMatrix star(int n, int hub) {
  return dominant(symmetric_links(n, 31, [=](int row, std::mt19937&) {
    std::vector<int> columns{hub};
    if (row == hub)
      for (int column = 0; column < row; ++column) columns.push_back(column);
    return columns;
  }));
}

inline RealMatrix full_band(int n, int width) {
  return symmetric_links(n, 31, [=](int row, std::mt19937&) {
    std::vector<int> columns;
    for (int k = 1; k <= width; ++k) columns.push_back(row - k);
    return columns;
  });
}

/// Blocks that do not touch, of sizes that no tile divides.
inline RealMatrix separate_blocks(int n, int size) {
  return symmetric_links(n, 37, [=](int row, std::mt19937&) {
    std::vector<int> columns;
    for (int column = row / size * size; column < row; ++column) columns.push_back(column);
    return columns;
  });
}

/// Full blocks, and as many full rows and columns behind them as `border` says.
inline RealMatrix bordered_blocks(int n, int size, int border) {
  return symmetric_links(n + border, 47, [=](int row, std::mt19937&) {
    std::vector<int> columns;
    for (int column = row < n ? row / size * size : 0; column < row; ++column) columns.push_back(column);
    return columns;
  });
}

/// One entry of 37 is missing, in both triangles or in one.
inline RealMatrix with_holes(RealMatrix matrix, bool symmetric) {
  for (int row = 0; row < matrix.size(); ++row)
    std::erase_if(matrix.rows[row], [=](const auto& entry) {
      const int column = entry.first, low = std::min(row, column), high = std::max(row, column);
      return column != row && (symmetric ? low * 7 + high * 3 : row * 7 + column * 3) % 37 == 0;
    });
  return matrix;
}

/// Two copies of a matrix, whose rows take turns: no two neighbouring columns are linked.
inline RealMatrix interleaved(const RealMatrix& matrix) {
  RealMatrix result(2 * matrix.size());
  for (int row = 0; row < matrix.size(); ++row)
    for (const auto& [column, value] : matrix.rows[row])
      for (int copy = 0; copy < 2; ++copy) result.rows[2 * row + copy][2 * column + copy] = value;
  return result;
}

inline RealMatrix blocks(int n) {
  return symmetric_links(n, 9, [](int row, std::mt19937& generator) {
    std::vector<int> columns;
    for (int column = row / 70 * 70; column < row; ++column) columns.push_back(column);
    columns.push_back(row - 70 - static_cast<int>(generator() % 50));
    return columns;
  });
}

/// A point of a mesh has `unknowns(point)` rows with the same columns, those of its own and of the points it is linked
/// to.
inline RealMatrix mesh(const RealMatrix& points, const auto& unknowns, unsigned seed = 11) {
  std::vector<int> first{0};
  for (int point = 0; point < points.size(); ++point) first.push_back(first.back() + unknowns(point));
  RealMatrix matrix(first.back());
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int point = 0; point < points.size(); ++point)
    for (const auto& [other, link] : points.rows[point])
      for (int row = first[point]; row < first[point + 1]; ++row)
        for (int column = first[other]; column < first[other + 1]; ++column) {
          const auto mirror = matrix.rows[column].find(row);
          matrix.rows[row][column] = mirror != matrix.rows[column].end() ? mirror->second : value(generator);
        }
  return dominant(matrix);
}

inline RealMatrix all_linked(int n) {
  return symmetric_links(n, 13, [](int row, std::mt19937&) {
    std::vector<int> columns(static_cast<std::size_t>(row));
    std::iota(columns.begin(), columns.end(), 0);
    return columns;
  });
}

/// A row that everybody needs, too long for the one lane that its entries left of the diagonal are worth.
inline RealMatrix hub_before_a_chain(int n) {
  return symmetric_links(n, 19, [](int row, std::mt19937&) { return std::vector<int>{row - 1, 0}; });
}

/// More rows than the device has warps at once, each needed by others although nothing stands behind its diagonal.
inline RealMatrix lower_triangle(int n, int width) {
  RealMatrix matrix(n);
  for (int row = 0; row < n; ++row)
    for (int k = 1; k <= std::min(width, row); ++k) matrix.rows[row][row - k] = 1.0 / (row + k);
  return dominant(matrix);
}

/// Short rows in wide levels, elimination of which changes more than the diagonal: small blocks in a row, far apart.
inline RealMatrix wide_levels(int n) {
  return symmetric_links(n, 23, [n](int row, std::mt19937& generator) {
    const int stride = n / 4;
    std::vector<int> columns;
    for (int k = 1; k <= row / stride; ++k)
      if (generator() % 4 != 0) columns.push_back(row - k * stride);
    return columns;
  });
}

/// [D A^T; A 1] with a diagonal D of n rows, and so many entries in each row of A.
inline RealMatrix saddle_point(int n, int links) {
  return symmetric_links(2 * n, 31, [=](int row, std::mt19937& generator) {
    std::vector<int> columns;
    for (int k = 0; row >= n && k < links; ++k)
      columns.push_back(static_cast<int>(generator() % static_cast<unsigned>(n)));
    return columns;
  });
}

inline RealMatrix with_link(RealMatrix matrix, int row, int column) {
  matrix.rows[row][column] = matrix.rows[column][row] = -0.125;
  return dominant(matrix);
}

/// Many short rows in chains, and long ones that wait for many and that many wait for: not claimed in level order.
inline RealMatrix circuit(int n) {
  return symmetric_links(n, 29, [](int row, std::mt19937& generator) {
    std::vector<int> columns{row - 1 - static_cast<int>(generator() % 3)};
    for (int k = 0; row % 50 == 49 && k < 120; ++k) columns.push_back(row - 1 - static_cast<int>(generator() % 2000));
    return columns;
  });
}

inline RealMatrix without_some_upper_entries(RealMatrix matrix) {
  for (int row = 0; row < matrix.size(); ++row)
    std::erase_if(matrix.rows[row],
                  [row](const auto& entry) { return entry.first > row && (entry.first + row) % 3 == 0; });
  return matrix;
}

/// Points that are all linked, a band, and points that everybody needs.
inline RealMatrix dense_part_with_hubs(int n, int dense) {
  return symmetric_links(n, 17, [=](int row, std::mt19937&) {
    std::vector<int> columns{row - 1, row - 2};
    if (row < dense || row > n - 3)
      for (int column = 0; column < row; ++column) columns.push_back(column);
    return columns;
  });
}

inline RealMatrix mesh_of_three(const RealMatrix& points) {
  return mesh(points, [](int) { return 3; });
}

/// Points with one to seven unknowns.
inline RealMatrix uneven_mesh(const RealMatrix& points) {
  return mesh(points, [](int point) { return 1 + point * 5 % 7; });
}

inline RealMatrix shuffled(const RealMatrix& matrix, unsigned seed) {
  std::vector<int> number(static_cast<std::size_t>(matrix.size()));
  for (int row = 0; row < matrix.size(); ++row) number[row] = row;
  std::shuffle(number.begin(), number.end(), std::mt19937(seed));
  RealMatrix result(matrix.size());
  for (int row = 0; row < matrix.size(); ++row)
    for (const auto& [column, value] : matrix.rows[row]) result.rows[number[row]][number[column]] = value;
  return result;
}

struct EliminationShape {
  const char* name;
  RealMatrix matrix;
  int max_fill = 1;  // one thread shall be done with it soon
};

inline std::vector<EliminationShape> elimination_shapes() {
  return {{"five-point grid", dominant(poisson<double>(57, 43))},
          {"seven-point grid", dominant(convection_diffusion<double>(15, 13, 11, 0.5))},
          {"shuffled grid", shuffled(dominant(poisson<double>(40, 30)), 2)},
          {"tree", tree(3000)},
          {"chain", band(2000, 1)},
          {"narrow band", band(1500, 6)},
          {"wide band", band(400, 150), 0},
          {"hubs", hubs(700), 0},
          {"arrow that ends in a full row", star(700, 699), 0},
          {"arrow that begins with one", star(700, 0), 0},
          {"dense blocks", blocks(350), 0},
          {"shuffled blocks", shuffled(blocks(350), 4), 0},
          {"points of three", mesh_of_three(band(150, 6))},
          {"points of three, links in one direction", mesh_of_three(random_matrix<double>(250, 4, 8)), 0},
          {"points of one to seven", uneven_mesh(dominant(poisson<double>(12, 9)))},
          {"points of many, whose lists are long", mesh(band(4, 2), [](int) { return 90; }), 0},
          {"points of one to seven, all linked", uneven_mesh(all_linked(60)), 0},
          {"points of three, links in most directions", mesh_of_three(random_matrix<double>(100, 200, 8)), 0},
          {"points of one to seven, all linked, interleaved", uneven_mesh(interleaved(all_linked(40))), 0},
          {"points of many, interleaved", interleaved(mesh(band(4, 2), [](int) { return 90; })), 0},
          {"dense", all_linked(150), 0},
          {"full band", full_band(333, 70)},
          {"blocks that do not touch", separate_blocks(330, 47), 0},
          {"full band with holes", with_holes(full_band(300, 100), true), 0},
          {"full band with other holes in both triangles", with_holes(full_band(300, 100), false), 0},
          {"full lower triangle of a band", lower_triangle(500, 60), 0},
          {"random, not symmetric", dominant(random_matrix<double>(800, 4, 6)), 0},
          {"hub before a chain", hub_before_a_chain(200)},
          {"short rows in wide levels", wide_levels(8800), 0},
          {"saddle point", saddle_point(2100, 20), 0},
          {"saddle point with a link in its first half", with_link(saddle_point(2100, 20), 5, 6), 0},
          {"saddle point of few", saddle_point(300, 9), 0},
          {"lower triangle", lower_triangle(6000, 6), 0},
          {"circuit", circuit(5000), 0},
          {"circuit, not symmetric", without_some_upper_entries(circuit(5000)), 0},
          {"diagonal", dominant(RealMatrix(333))}};
}

inline bool is_symmetric(const RealMatrix& matrix) {
  for (int row = 0; row < matrix.size(); ++row)
    for (const auto& [column, value] : matrix.rows[row])
      if (matrix.rows[column].count(row) == 0 || matrix.rows[column].at(row) != value) return false;
  return true;
}

/// The same pattern with numbers of the same size. Complex ones have both parts off the diagonal, and where the matrix
/// is symmetric it stays so, or becomes Hermitian.
template <class Scalar>
GeneralMatrix<Scalar> with_numbers(const RealMatrix& matrix, bool hermitian) {
  GeneralMatrix<Scalar> result(matrix.size());
  for (int row = 0; row < matrix.size(); ++row)
    for (const auto& [column, value] : matrix.rows[row]) {
      if (column == row) result.rows[row][column] = Scalar(static_cast<Real<Scalar>>(value));
      else if (hermitian && column > row) result.rows[row][column] = conjugate_of(number<Scalar>(value));
      else result.rows[row][column] = number<Scalar>(value);
    }
  return result;
}

}  // namespace terrace::reference
