// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linear system on a structured grid, on the host: the diagonals of a symmetric matrix and a right-hand side.
#pragma once

#include <terrace/grid.hpp>

#include "system/host_matrix.hpp"

namespace terrace::tools {

struct GridProblem {
  Grid grid;
  std::string description;
  std::vector<double> center, x, y, z;  ///< as SymmetricDiagonals has them
  std::vector<double> b;
};

/// Calls visit(cell, neighbor, direction) for each pair of neighbors, the lower number first.
template <class Visit>
void for_each_face(const Grid& grid, const Visit& visit) {
  for (int k = 0; k < grid.nz; ++k)
    for (int j = 0; j < grid.ny; ++j)
      for (int i = 0; i < grid.nx; ++i) {
        const auto c = static_cast<std::size_t>(grid.index({i, j, k}));
        if (i + 1 < grid.nx) visit(c, c + 1, 0);
        if (j + 1 < grid.ny) visit(c, c + static_cast<std::size_t>(grid.nx), 1);
        if (k + 1 < grid.nz) visit(c, c + static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny), 2);
      }
}

/// How many entries compressed rows of the matrix have.
std::int64_t count_entries(const Grid& grid);

/// The matrix in compressed rows: the diagonal and every neighbor, zeros included.
HostMatrix<double> to_rows(const GridProblem& problem);

/// The permeability of a porous medium, cell by cell, and the size of its cells.
struct Conductivity {
  std::vector<double> x, y, z;
  double size[3];
};

/// Two-point fluxes: the coefficient between two cells is the harmonic mean of their conductivities times the area of
/// their face, over the distance of their centers. The boundary lets nothing through; b is zero.
GridProblem assemble_fluxes(const Grid& grid, const Conductivity& conductivity);

/// poisson: the Laplacian on the nodes inside a box. variable: -div(k grad u) with k between exp(-2) and exp(2) in
/// waves. anisotropic: couplings of 1 along x, 0.01 along y and z. b is one in all of them.
GridProblem make_builtin_problem(const Grid& grid, const std::string& name);

/// The pressure equation of SPE's tenth comparative solution project, model 2 (Christie and Blunt 2001), on 60 x 220 x
/// 85 cells of 20 x 10 x 2 feet. A well through all layers at the center holds pressure 1, one in each corner pressure
/// 0 (Peaceman's well index, radius half a foot). Reads spe10_kx and spe10_kz, as .f32.gz or .f32, from `folder`.
/// \throws Error InvalidFile.
GridProblem make_spe10(const std::string& folder, ProgressLine& progress);
inline constexpr Grid spe10_grid{60, 220, 85};

/// Diagonals as a file has them: little-endian numbers of type double, plain or gzipped; center, x, y, z (when nz > 1),
/// and b, which is one when the file has none.
/// \throws Error InvalidFile; CrossesBoundary: a coefficient towards a neighbor outside the grid.
GridProblem read_diagonals(const std::string& path, const Grid& grid);

}  // namespace terrace::tools
