// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Are the diagonals those of the grid: long enough, and zero where they would reach out of it?
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "algorithms/structured/stencil.hpp"

namespace terrace::structured {

/// Sweeps step beyond the end of a line, by less than what is left to the largest int.
inline constexpr int longest_extent = std::numeric_limits<int>::max() - 1024;

inline void check_grid(const Grid& grid) {
  if (std::max({grid.nx, grid.ny, grid.nz}) > longest_extent)
    throw Error(ErrorCode::InvalidGrid,
                "the grid is " + to_string(grid) + "; no extent can be larger than " + std::to_string(longest_extent));
  if (grid.nx < 1 || grid.ny < 1 || grid.nz < 1)
    throw Error(ErrorCode::InvalidGrid, "the grid is " + to_string(grid) + "; each extent must be at least 1");
  const std::int64_t plane = std::int64_t(grid.nx) * grid.ny;
  if (plane > std::numeric_limits<std::int64_t>::max() / 64 / grid.nz)
    throw Error(ErrorCode::InvalidGrid, "the grid " + to_string(grid) + " has more cells than can be counted");
}

/// The name of a neighbour, as messages have it.
inline std::string neighbour_name(int direction, bool is_upper) {
  return std::string(is_upper ? "+" : "-") + "xyz"[direction];
}

template <class View>
void check_length(const Grid& grid, const View& diagonal, const std::string& name, int extent) {
  const std::size_t length = diagonal.extent(0);
  if (length == static_cast<std::size_t>(grid.cells()) || (length == 0 && extent == 1)) return;
  throw Error(ErrorCode::SizeMismatch, "the diagonal " + name + " has " + std::to_string(length) + " numbers; the " +
                                           to_string(grid) + " grid has " + std::to_string(grid.cells()) + " cells");
}

/// One face of the grid: the cells whose neighbours on one side would lie outside.
template <class Scalar>
struct Face {
  Side<Scalar> side;
  int direction;
  int outermost;  // the cells' place in the direction
};

inline constexpr int faces = 2 * Directions;

/// Lowers first[face] to the number of a cell whose coefficient leaves the grid there.
template <class Scalar>
struct CheckBoundary {
  Stencil<Scalar> A;
  Face<Scalar> face[faces];
  std::int64_t largest_face;
  std::int64_t* first;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    const int f = static_cast<int>(number / largest_face);
    const int direction = face[f].direction;
    const std::int64_t place = number % largest_face;
    const int u = direction == X ? Y : X, v = direction == Z ? Y : Z;
    if (!face[f].side.diagonal || place >= std::int64_t(A.extent[u]) * A.extent[v]) return;
    int at[Directions] = {0, 0, 0};
    at[u] = static_cast<int>(place % A.extent[u]);
    at[v] = static_cast<int>(place / A.extent[u]);
    at[direction] = face[f].outermost;
    const std::int64_t cell = A.index(at[X], at[Y], at[Z]);
    if (!(face[f].side(cell) == Scalar(0))) parallel::atomic_lower(first[f], cell);
  }
};

/// The lower coefficients of a symmetric matrix are upper ones of other cells.
template <class Scalar>
CheckBoundary<Scalar> make_boundary_check(const Stencil<Scalar>& A, bool is_symmetric, std::int64_t* first) {
  CheckBoundary<Scalar> check{A, {}, 0, first};
  for (int direction = X; direction < Directions; ++direction) {
    check.face[2 * direction] = {is_symmetric ? Side<Scalar>() : A.lower[direction], direction, 0};
    check.face[2 * direction + 1] = {A.upper[direction], direction, A.extent[direction] - 1};
    check.largest_face = std::max(check.largest_face, std::int64_t(A.cells()) / A.extent[direction]);
  }
  return check;
}

/// Throws for the first cell with a coefficient towards a neighbour outside the grid.
template <class Scalar, class Space>
void check_boundary(const Space& space, const Grid& grid, const Stencil<Scalar>& A, bool is_symmetric) {
  const auto first = parallel::uninitialized<std::int64_t>(space, "terrace::structured::first", faces);
  Kokkos::deep_copy(space, first, grid.cells());
  const auto check = make_boundary_check(A, is_symmetric, first.data());
  Kokkos::parallel_for(
      "terrace::structured::check_boundary",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, faces * check.largest_face), check);
  std::array<std::int64_t, faces> found;
  Kokkos::deep_copy(space, parallel::on_host(found.data(), found.size()), first);
  space.fence("terrace::structured::check_boundary");
  for (int face = 0; face < faces; ++face) {
    if (found[face] == grid.cells()) continue;
    throw Error(ErrorCode::CrossesBoundary,
                "cell " + to_string(grid.cell(found[face])) + " of the " + to_string(grid) +
                    " grid has a coefficient for its neighbour in " + neighbour_name(face / 2, face % 2 == 1) +
                    ", which lies outside; it must be zero (periodic grids are not supported)",
                found[face]);
  }
}

}  // namespace terrace::structured
