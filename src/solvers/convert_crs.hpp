// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagonals from compressed rows, and compressed rows from diagonals.
#pragma once

#include <limits>

#include "algorithms/structured/check_diagonals.hpp"
#include "backends/failures.hpp"
#include "solvers/recognize_grid.hpp"

namespace terrace::structured {

/// Where the entries of a row go: below, south, west, centre, east, north, above, which is the order of their columns.
inline constexpr int stencil_points = 7;

template <class Scalar, class Offset>
struct ScatterRows {
  CrsRows<Scalar, Offset> A;
  Index nx, plane;
  Scalar* diagonals[stencil_points];
  std::int64_t* first_duplicate;

  /// The place of an entry `distance` behind the diagonal; neighbours that coincide in small grids are told apart by
  /// the extents, and find_stranger has seen that there is such a neighbour.
  KOKKOS_FUNCTION int place_of(Index distance, Index row) const {
    const Index size = distance < 0 ? -distance : distance;
    const Index low = distance < 0 ? row + distance : row;
    int reach = 3;
    if (size == 0) reach = 0;
    else if (size == 1 && low % nx != nx - 1) reach = 1;
    else if (size == nx && low % plane / nx != plane / nx - 1) reach = 2;
    return distance < 0 ? 3 - reach : 3 + reach;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    unsigned seen = 0;
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      if (A.values[k] == Scalar(0)) continue;
      const int place = place_of(A.entries[k] - row, row);
      if (seen & (1u << place)) parallel::atomic_lower(*first_duplicate, row);
      seen |= 1u << place;
      diagonals[place][row] = A.values[k];
    }
  }
};

/// Looks for a coefficient that differs from that of the same pair in the other row.
template <class Scalar>
struct FindAsymmetry {
  Stencil<Scalar> A;
  std::int64_t* first;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (int d = 0; d < Directions; ++d) {
      const Index other = row + A.upper[d].step;
      if (other < A.cells() && !(A.upper[d](row) == A.lower[d](other))) parallel::atomic_lower(*first, row);
    }
  }
};

template <class Space, class Matrix>
void check_couplings(const Space& space, const Matrix& A, const Grid& grid) {
  if (A.numRows() != grid.cells())
    throw Error(ErrorCode::SizeMismatch, "the matrix has " + std::to_string(A.numRows()) + " rows; the " +
                                             to_string(grid) + " grid has " + std::to_string(grid.cells()) + " cells");
  using Rows = CrsRows<typename Matrix::non_const_value_type, typename Matrix::non_const_size_type>;
  if (const auto row = find_stranger(space, Rows(A), grid))
    throw Error(ErrorCode::NotAGrid,
                "row " + std::to_string(*row) + " couples cell " + to_string(grid.cell(*row)) + " of the " +
                    to_string(grid) + " grid to a cell that is no neighbour (periodic grids are not supported)",
                *row);
}

template <class Scalar, class Space>
StructuredMatrix<Scalar, Space> upper_half(const Space& space, const StructuredMatrix<Scalar, Space>& A) {
  const FirstRow<Space> first(space, A.grid().cells());
  Kokkos::parallel_for("terrace::structured::find_asymmetry", Rows<Space>(space, 0, A.grid().cells()),
                       FindAsymmetry<Scalar>{make_stencil(A), first.data()});
  if (const auto row = first.read(space))
    throw Error(ErrorCode::NotSymmetric,
                "the matrix was called symmetric, but row " + std::to_string(*row) + ", cell " +
                    to_string(A.grid().cell(*row)) + ", has a coefficient that its neighbour does not return",
                *row);
  const auto& d = A.diagonals();
  return {space, A.grid(), SymmetricDiagonals<Scalar, Space>{d.center, d.upper_x, d.upper_y, d.upper_z}};
}

/// Writes the rows of the matrix; those of cells at the boundary are shorter.
template <class Scalar, class Offset>
struct GatherRows {
  Stencil<Scalar> A;
  Offset* row_map;
  int* entries;
  Scalar* values;

  /// Entries of the rows before the one of cell (i, j, k): each direction counts two per cell less the boundary's.
  KOKKOS_FUNCTION Offset entries_before(int i, int j, int k) const {
    const Index nx = A.extent[X], ny = A.extent[Y], nz = A.extent[Z], row = A.index(i, j, k), line = j + ny * k;
    const Index in_x = 2 * (row - line) - (i > 0 ? 1 : 0);
    const Index lines_of_y = 2 * (k * (ny - 1)) + Kokkos::max(Index(0), 2 * Index(j) - 1);
    const Index in_y = lines_of_y * nx + (ny == 1 ? 0 : (j > 0 && j < ny - 1) ? 2 * Index(i) : i);
    const Index planes_of_z = Kokkos::max(Index(0), 2 * Index(k) - 1);
    const Index in_z = planes_of_z * nx * ny + (nz == 1 ? 0 : (k > 0 && k < nz - 1) ? 2 * (i + nx * j) : i + nx * j);
    return static_cast<Offset>(row + in_x + in_y + in_z);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const Index line = row / A.extent[X];
    const int at[Directions] = {static_cast<int>(row % A.extent[X]), static_cast<int>(line % A.extent[Y]),
                                static_cast<int>(line / A.extent[Y])};
    Offset place = entries_before(at[X], at[Y], at[Z]);
    row_map[row] = place;
    const auto write = [&](Index column, const Scalar& value) {
      entries[place] = static_cast<int>(column);
      values[place++] = value;
    };
    for (int d = Z; d >= X; --d)
      if (at[d] > 0) write(row + A.lower[d].step, A.lower[d](row));
    write(row, A.center[row]);
    for (int d = X; d < Directions; ++d)
      if (at[d] + 1 < A.extent[d]) write(row + A.upper[d].step, A.upper[d](row));
    if (row + 1 == A.cells()) row_map[row + 1] = place;
  }
};

/// Entries of a matrix with one for each neighbour inside the grid.
inline std::int64_t count_entries(const Grid& grid) {
  const std::int64_t n = grid.cells();
  return n + 2 * (n - n / grid.nx) + 2 * (n - n / grid.ny) + 2 * (n - n / grid.nz);
}

}  // namespace terrace::structured

namespace terrace {

template <class Scalar, class Offset, class Space>
StructuredMatrix<Scalar, Space> to_structured(const Space& space, const GridCrsMatrix<Scalar, Offset, Space>& A,
                                              const Grid& grid, Symmetry symmetry) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  structured::check_grid(grid);
  structured::check_crs(space, A);
  structured::check_couplings(space, A, grid);
  using Values = Kokkos::View<Scalar*, parallel::Device<Space>>;
  const auto n = static_cast<std::size_t>(grid.cells());
  Values d[structured::stencil_points];
  for (auto& diagonal : d) diagonal = parallel::zeros<Scalar>(space, "terrace::structured::diagonal", n);
  const structured::FirstRow<Space> duplicate(space, grid.cells());
  structured::ScatterRows<Scalar, Offset> scatter{
      structured::CrsRows<Scalar, Offset>(A), grid.nx, structured::Index(grid.nx) * grid.ny, {}, duplicate.data()};
  for (int place = 0; place < structured::stencil_points; ++place) scatter.diagonals[place] = d[place].data();
  Kokkos::parallel_for("terrace::structured::scatter_rows", structured::Rows<Space>(space, 0, grid.cells()), scatter);
  if (const auto row = duplicate.read(space))
    throw Error(ErrorCode::DuplicateEntry, "row " + std::to_string(*row) + " stores an entry twice", *row);
  const StructuredMatrix<Scalar, Space> general(
      space, grid, GeneralDiagonals<Scalar, Space>{d[3], d[4], d[5], d[6], d[2], d[1], d[0]});
  return symmetry == Symmetry::Symmetric ? structured::upper_half(space, general) : general;
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::to_structured");
}

template <class Offset, class Scalar, class Space>
GridCrsMatrix<Scalar, Offset, Space> to_crs(const Space& space, const StructuredMatrix<Scalar, Space>& A) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const std::int64_t n = A.grid().cells(), count = structured::count_entries(A.grid());
  if (n >= std::numeric_limits<int>::max() ||
      static_cast<std::uint64_t>(count) > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
    throw Error(ErrorCode::SizeMismatch, "a matrix of " + std::to_string(n) + " rows and " + std::to_string(count) +
                                             " entries is too large for these index types");
  const auto stencil = structured::make_stencil(A);
  const auto row_map =
      parallel::uninitialized<Offset>(space, "terrace::structured::row_map", static_cast<std::size_t>(n) + 1);
  const auto entries =
      parallel::uninitialized<int>(space, "terrace::structured::entries", static_cast<std::size_t>(count));
  const auto values =
      parallel::uninitialized<Scalar>(space, "terrace::structured::values", static_cast<std::size_t>(count));
  Kokkos::parallel_for("terrace::structured::gather_rows", structured::Rows<Space>(space, 0, n),
                       structured::GatherRows<Scalar, Offset>{stencil, row_map.data(), entries.data(), values.data()});
  space.fence("terrace::to_crs");
  return {"terrace::to_crs",
          static_cast<int>(n),
          static_cast<int>(n),
          static_cast<Offset>(count),
          values,
          row_map,
          entries};
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::to_crs");
}

}  // namespace terrace
