// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/poisson.hpp"

namespace terrace::tools {

HostTriangle<double> poisson_lower_triangle(int size) {
  HostTriangle<double> triangle;
  triangle.rows = size * size * size;
  const auto add = [&triangle](int column, double value) {
    triangle.entries.push_back(column);
    triangle.values.push_back(value);
  };
  for (int row = 0; row < triangle.rows; ++row) {
    if (row >= size * size) add(row - size * size, -1);
    if (row / size % size > 0) add(row - size, -1);
    if (row % size > 0) add(row - 1, -1);
    add(row, 6);
    triangle.row_map.push_back(triangle.entries.size());
  }
  return triangle;
}

}  // namespace terrace::tools
