// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries the matrices of grids to the space under test, and walks shapes of grids.
#pragma once

#include <terrace/structured_conversion.hpp>

#include "reference/differences.hpp"
#include "reference/grid_matrix.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

using reference::largest_difference;
using reference::relative_difference;

template <class T>
auto to_symmetric_diagonals(const reference::GridMatrix<typename T::Scalar>& A) {
  const auto copy = [](const auto& numbers) { return to_device<typename T::Scalar, typename T::Device>(numbers); };
  return SymmetricDiagonals<typename T::Scalar, typename T::Space>{copy(A.center), copy(A.upper[0]), copy(A.upper[1]),
                                                                   copy(A.upper[2])};
}

template <class T>
auto to_general_diagonals(const reference::GridMatrix<typename T::Scalar>& A) {
  const auto copy = [](const auto& numbers) { return to_device<typename T::Scalar, typename T::Device>(numbers); };
  return GeneralDiagonals<typename T::Scalar, typename T::Space>{copy(A.center),   copy(A.upper[0]), copy(A.upper[1]),
                                                                 copy(A.upper[2]), copy(A.lower[0]), copy(A.lower[1]),
                                                                 copy(A.lower[2])};
}

template <class T>
StructuredMatrix<typename T::Scalar, typename T::Space> to_device_matrix(
    const reference::GridMatrix<typename T::Scalar>& A, bool symmetric) {
  if (symmetric) return {typename T::Space(), A.grid, to_symmetric_diagonals<T>(A)};
  return {typename T::Space(), A.grid, to_general_diagonals<T>(A)};
}

/// Rows as a CrsMatrix; entries for which `keep(row, column, value)` is false are left out.
template <class T>
auto to_device_crs(const std::vector<std::map<int, typename T::Scalar>>& rows) {
  reference::CompressedArrays<typename T::Scalar> arrays;
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      arrays.entries.push_back(column);
      arrays.values.push_back(value);
    }
    arrays.row_map.push_back(arrays.entries.size());
  }
  const DeviceArrays<T> device(arrays);
  const int n = static_cast<int>(rows.size());
  return GridCrsMatrix<typename T::Scalar, typename T::Offset, typename T::Space>(
      "terrace::test", n, n, static_cast<typename T::Offset>(arrays.entries.size()), device.values, device.row_map,
      device.entries);
}

/// Every nx x ny x nz from 1 to `largest`.
template <class Visit>
void for_each_grid(int largest, const Visit& visit) {
  for (int nz = 1; nz <= largest; ++nz)
    for (int ny = 1; ny <= largest; ++ny)
      for (int nx = 1; nx <= largest; ++nx) visit(Grid{nx, ny, nz});
}

}  // namespace terrace::test
