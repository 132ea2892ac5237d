// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large triangles, each of which one of a GPU's ways to solve is made for.
#pragma once

#include "reference/compressed_triangle.hpp"

namespace terrace::reference {

/// Levels of 20,000, 1, 5,000 and 1 rows, then a narrow band: wide levels, chains, and what lies between.
template <class Scalar>
CompressedTriangle<Scalar> mixed_widths() {
  CompressedTriangle<Scalar> matrix;
  for (int row = 0; row < 20000; ++row) matrix.end_row();
  matrix.add(19999, 0.5);
  matrix.end_row();
  for (int row = 0; row < 5000; ++row) {
    matrix.add(row * 3, 0.25);
    matrix.add(20000, -0.5);
    matrix.end_row();
  }
  std::mt19937 generator(7);
  while (matrix.rows() < 40000) {
    const int row = matrix.rows(), before = 1 + static_cast<int>(generator() % 40);
    for (int column = row - before; column < row; column += 1 + static_cast<int>(generator() % 9))
      matrix.add(column, 0.125);
    matrix.end_row();
  }
  return matrix;
}

/// Two levels of as many rows as there are pairs: of each the second row needs the first, and that of the pair before.
template <class Scalar>
CompressedTriangle<Scalar> two_levels(int pairs) {
  CompressedTriangle<Scalar> matrix;
  for (int row = 0; row < 2 * pairs; ++row) {
    if (row % 2 == 1 && row > 1) matrix.add(row - 3, 0.25);
    if (row % 2 == 1) matrix.add(row - 1, -0.5);
    matrix.end_row();
  }
  return matrix;
}

/// Every row but the last is diagonal or bidiagonal; the last needs all of them.
template <class Scalar>
CompressedTriangle<Scalar> with_hub(int rows) {
  CompressedTriangle<Scalar> matrix;
  for (int row = 0; row + 1 < rows; ++row) {
    if (row % 3 == 1) matrix.add(row - 1, 0.5);
    matrix.end_row();
  }
  for (int column = 0; column + 1 < rows; ++column) matrix.add(column, 1.0 / rows);
  matrix.end_row();
  return matrix;
}

/// Short rows, and among them hubs of some thousand entries: one behind the other, and rows that need them.
template <class Scalar>
CompressedTriangle<Scalar> with_hubs() {
  CompressedTriangle<Scalar> matrix;
  while (matrix.rows() < 30000) {
    const int row = matrix.rows();
    const bool is_hub = row == 3000 || row == 3001 || row % 10000 == 9999;
    if (is_hub) {
      for (int column = row % 3; column < row; column += column % 3 == 0 ? 2 : 1)
        matrix.add(column, (1.0 + column % 5) / row);
    } else {
      if (row > 3001 && row % 7 == 0) matrix.add(3001, -0.25);
      if (row % 3 == 1) matrix.add(row - 1, 0.5);
    }
    matrix.end_row();
  }
  return matrix;
}

/// A five-point grid: bands of its rows wait for the band before them.
template <class Scalar>
CompressedTriangle<Scalar> grid_triangle(int width, int height) {
  CompressedTriangle<Scalar> matrix;
  for (int row = 0; row < width * height; ++row) {
    if (row >= width) matrix.add(row - width, -0.5 - row % 7 * 0.05);
    if (row % width != 0) matrix.add(row - 1, -0.6 + row % 5 * 0.05);
    matrix.end_row();
  }
  return matrix;
}

/// Rows that several lanes share, and hubs, in a band around the diagonal.
template <class Scalar>
CompressedTriangle<Scalar> wide_band() {
  std::mt19937 generator(3);
  CompressedTriangle<Scalar> matrix;
  while (matrix.rows() < 20000) {
    const int row = matrix.rows(), before = std::min(row, row % 4000 == 3999 ? 3000 : 60);
    for (int column = row - before; column < row; column += 1 + static_cast<int>(generator() % 4))
      matrix.add(column, 0.4 / before);
    matrix.end_row();
  }
  return matrix;
}

/// Rows that read those from first_of(row) on: all, or seven of `every` eight.
template <class Scalar>
CompressedTriangle<Scalar> triangle_without_gaps(int rows, int longest, int every, const auto& first_of) {
  CompressedTriangle<Scalar> matrix;
  std::mt19937 generator(11);
  for (int row = 0; row < rows; ++row) {
    for (int column = first_of(row); column < row; ++column)
      if (every == 1 || generator() % 8 != 0)
        matrix.add(column, (static_cast<double>(generator() % 1000) - 500.0) / (500.0 * longest));
    matrix.end_row();
  }
  return matrix;
}

template <class Scalar>
CompressedTriangle<Scalar> dense_triangle(int rows, int every = 1) {
  return triangle_without_gaps<Scalar>(rows, rows, every, [](int) { return 0; });
}

template <class Scalar>
CompressedTriangle<Scalar> band_triangle(int rows, int width, int every = 1) {
  return triangle_without_gaps<Scalar>(rows, width, every, [=](int row) { return std::max(0, row - width); });
}

/// Blocks that do not touch, and rows behind them that read all.
template <class Scalar>
CompressedTriangle<Scalar> block_triangle(int blocks, int size, int border) {
  return triangle_without_gaps<Scalar>(blocks * size + border, blocks * size, 1,
                                       [=](int row) { return row < blocks * size ? row / size * size : 0; });
}

}  // namespace terrace::reference
