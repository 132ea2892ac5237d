// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A problem on a grid from a file of plain numbers.
#include <terrace/error.hpp>

#include "common/problems/read_numbers.hpp"
#include "system/grid_problem.hpp"

namespace terrace::tools {
namespace {

/// What a periodic grid has between its first and its last cells lies outside of ours.
void check_boundaries(const GridProblem& problem) {
  const Grid& grid = problem.grid;
  for (std::int64_t c = 0; c < grid.cells(); ++c) {
    const GridCell at = grid.cell(c);
    const auto place = static_cast<std::size_t>(c);
    const char* const direction = at.i + 1 == grid.nx && problem.x[place] != 0   ? "+x"
                                  : at.j + 1 == grid.ny && problem.y[place] != 0 ? "+y"
                                  : at.k + 1 == grid.nz && problem.z[place] != 0 ? "+z"
                                                                                 : nullptr;
    if (direction == nullptr) continue;
    throw Error(ErrorCode::CrossesBoundary,
                problem.description + ": cell " + to_string(at) + " of the " + to_string(grid) +
                    " grid has a coefficient for its neighbor in " + direction +
                    ", which lies outside; it must be zero (periodic grids are not supported)",
                c);
  }
}

}  // namespace

GridProblem read_diagonals(const std::string& path, const Grid& grid) {
  const auto numbers = common::read_numbers<double>(path);
  const auto n = static_cast<std::size_t>(grid.cells());
  const std::size_t diagonals = grid.nz > 1 ? 4 : 3;
  if (numbers.size() != diagonals * n && numbers.size() != (diagonals + 1) * n)
    throw Error(ErrorCode::InvalidFile, path + " has " + std::to_string(numbers.size()) + " numbers; " +
                                            std::to_string(diagonals) + " diagonals of the " + to_string(grid) +
                                            " grid have " + std::to_string(diagonals * n) + ", with b " +
                                            std::to_string((diagonals + 1) * n));
  const auto part = [&](std::size_t place) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(place * n);
    return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(n));
  };
  const bool has_b = numbers.size() > diagonals * n;
  GridProblem problem{grid,
                      path,
                      part(0),
                      part(1),
                      part(2),
                      grid.nz > 1 ? part(3) : std::vector<double>(n, 0.0),
                      has_b ? part(diagonals) : std::vector<double>(n, 1.0)};
  check_boundaries(problem);
  return problem;
}

}  // namespace terrace::tools
