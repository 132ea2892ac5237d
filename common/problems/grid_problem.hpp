// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linear system on a structured grid, on the host: the diagonals of a symmetric matrix and a right-hand side.
#pragma once

#include <string>
#include <terrace/grid.hpp>
#include <vector>

#include "common/host_matrix.hpp"
#include "common/problems/grid_walks.hpp"

namespace terrace::common {

struct GridProblem {
  Grid grid;
  std::string description;
  std::vector<double> center, x, y, z;  ///< as SymmetricDiagonals has them
  std::vector<double> b;
};

/// All numbers zero.
GridProblem make_empty(const Grid& grid);

/// How many entries compressed rows of the matrix have.
std::int64_t count_entries(const Grid& grid);

/// The matrix in compressed rows: the diagonal and every neighbor, zeros included.
/// \throws Error OutOfMemory: more cells than an int counts.
HostMatrix<double> to_rows(const GridProblem& problem);

/// \throws Error OutOfMemory where compressed rows, `unknowns` for each cell, are more than an int counts.
void check_rows(const Grid& grid, int unknowns);

/// The permeability of a porous medium, cell by cell, and the size of its cells.
struct Conductivity {
  std::vector<double> x, y, z;
  double size[3];

  double volume() const { return size[0] * size[1] * size[2]; }
};

/// Two-point fluxes: the coefficient between two cells is the harmonic mean of their conductivities times the area of
/// their face, over the distance of their centers. The boundary lets nothing through; b is zero.
GridProblem assemble_fluxes(const Grid& grid, const Conductivity& conductivity);

}  // namespace terrace::common
