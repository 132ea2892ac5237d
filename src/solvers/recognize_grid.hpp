// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the grid of a matrix in compressed rows.
//
// In natural order the neighbours of a cell lie 1, nx and nx * ny numbers away, so the distances |row - column| of the
// entries that are not zero name the grid: at most three, each a multiple of the one before, the last a divisor of n. A
// distance of 1 that is missing is a grid whose lines are not coupled along x. What remains to be seen is that no
// coupling leaves a line at its end or a plane at its last line; that is one pass over the rows.
#pragma once

#include <limits>
#include <vector>

#include "algorithms/structured/crs_input.hpp"
#include "backends/failures.hpp"

namespace terrace::structured {

/// The smallest distance above `above` between the row and the column of an entry that is not zero.
template <class Scalar, class Offset>
struct NextDistance {
  CrsRows<Scalar, Offset> A;
  std::int64_t above;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& least) const {
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const std::int64_t distance = A.entries[k] < row ? row - A.entries[k] : A.entries[k] - row;
      if (distance > above && distance < least && A.values[k] != Scalar(0)) least = distance;
    }
  }
};

/// Up to four distances, ascending: with four there is no grid.
template <class Scalar, class Offset, class Space>
std::vector<std::int64_t> find_distances(const Space& space, const CrsRows<Scalar, Offset>& A) {
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> distances;
  for (std::int64_t above = 0; distances.size() < 4; above = distances.back()) {
    std::int64_t least = none;
    Kokkos::parallel_reduce("terrace::structured::next_distance", Rows<Space>(space, 0, A.count),
                            NextDistance<Scalar, Offset>{A, above}, Kokkos::Min<std::int64_t>(least));
    if (least == none) break;
    distances.push_back(least);
  }
  return distances;
}

/// The grid whose neighbours lie that far apart, if there is one that is made of n cells.
inline std::optional<Grid> grid_of_distances(std::vector<std::int64_t> distances, std::int64_t n) {
  if (distances.empty() || distances.front() != 1) distances.insert(distances.begin(), 1);
  if (distances.size() > 3) return std::nullopt;
  distances.push_back(n);
  while (distances.size() < 4) distances.push_back(n);
  for (int d = 0; d < 3; ++d)
    if (distances[d] == 0 || distances[d + 1] % distances[d] != 0) return std::nullopt;
  return Grid{static_cast<int>(distances[1]), static_cast<int>(distances[2] / distances[1]),
              static_cast<int>(distances[3] / distances[2])};
}

/// Looks for a coupling of cells that are no neighbours.
template <class Scalar, class Offset>
struct FindStranger {
  CrsRows<Scalar, Offset> A;
  int nx, ny;
  std::int64_t* first;

  KOKKOS_FUNCTION bool are_neighbours(std::int64_t low, std::int64_t high) const {
    const std::int64_t distance = high - low;
    if (distance == 0) return true;
    if (distance == 1 && low % nx != nx - 1) return true;
    if (distance == nx && low / nx % ny != ny - 1) return true;
    return distance == std::int64_t(nx) * ny;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const std::int64_t column = A.entries[k];
      if (A.values[k] != Scalar(0) && !are_neighbours(Kokkos::min(row, column), Kokkos::max(row, column)))
        parallel::atomic_lower(*first, row);
    }
  }
};

template <class Scalar, class Offset, class Space>
std::optional<std::int64_t> find_stranger(const Space& space, const CrsRows<Scalar, Offset>& A, const Grid& grid) {
  const FirstRow<Space> first(space, A.count);
  Kokkos::parallel_for("terrace::structured::find_stranger", Rows<Space>(space, 0, A.count),
                       FindStranger<Scalar, Offset>{A, grid.nx, grid.ny, first.data()});
  return first.read(space);
}

inline std::string list_distances(const std::vector<std::int64_t>& distances) {
  if (distances.empty()) return "no entry but the diagonal is other than zero";
  std::string list;
  for (const auto distance : distances) list += (list.empty() ? "" : ", ") + std::to_string(distance);
  return "the entries lie " + list + (distances.size() > 3 ? " and more" : "") + " off the diagonal";
}

}  // namespace terrace::structured

namespace terrace {

template <class Scalar, class Offset, class Space>
GridRecognition recognize_grid(const Space& space, const GridCrsMatrix<Scalar, Offset, Space>& A) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  structured::check_crs(space, A);
  const structured::CrsRows<Scalar, Offset> rows(A);
  if (rows.count == 0) return {std::nullopt, "the matrix has size 0"};
  const auto distances = structured::find_distances(space, rows);
  const std::string found = structured::list_distances(distances);
  if (distances.size() > 3)
    return {std::nullopt, found + "; a grid has at most three such distances (periodic ones are not supported)"};
  const auto grid = structured::grid_of_distances(distances, rows.count);
  if (!grid)
    return {std::nullopt, found + "; in a grid each distance divides the next, and the last the " +
                              std::to_string(rows.count) + " rows"};
  if (const auto row = structured::find_stranger(space, rows, *grid))
    return {std::nullopt, found + ", as in a " + to_string(*grid) + " grid, but row " + std::to_string(*row) +
                              " couples cell " + to_string(grid->cell(*row)) + " across the boundary"};
  return {grid, found + ", and no coupling crosses the boundary of a " + to_string(*grid) + " grid"};
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::recognize_grid");
}

}  // namespace terrace
