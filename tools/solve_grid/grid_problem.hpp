// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linear system on a grid, on the host: the diagonals of a symmetric matrix and a right-hand side.
#pragma once

#include <terrace/grid.hpp>
#include <vector>

#include "solve_grid/grid_request.hpp"
#include "support/progress_line.hpp"

namespace terrace::tools {

struct GridProblem {
  Grid grid;
  std::string description;
  std::vector<double> center, x, y, z;  ///< as SymmetricDiagonals has them
  std::vector<double> b;
};

/// The permeability of a porous medium, cell by cell, and the size of its cells.
struct Conductivity {
  std::vector<double> x, y, z;
  double size[3];
};

/// Two-point fluxes: the coefficient between two cells is the harmonic mean of their conductivities times the area of
/// their face, over the distance of their centres. The boundary lets nothing through; b is zero.
GridProblem assemble_fluxes(const Grid& grid, const Conductivity& conductivity);

/// poisson: the Laplacian on the nodes inside a box. variable: -div(k grad u) with k between exp(-2) and exp(2) in
/// waves. anisotropic: couplings of 1 along x, 0.01 along y and z. b is one in all of them.
GridProblem make_builtin_problem(const Grid& grid, const std::string& name);

/// The pressure equation of SPE's tenth comparative solution project, model 2 (Christie and Blunt 2001), on 60 x 220 x
/// 85 cells of 20 x 10 x 2 feet. A well through all layers at the centre holds pressure 1, one in each corner pressure
/// 0 (Peaceman's well index, radius half a foot). Reads spe10_kx and spe10_kz, as .f32.gz or .f32, from `folder`.
/// \throws Error InvalidFile.
GridProblem make_spe10(const std::string& folder, ProgressLine& progress);

/// Reads little-endian numbers of type float or double from a file, plain or gzipped.
/// \throws Error InvalidFile: a file that cannot be read, or ends in the middle of a number.
template <class Number>
std::vector<Number> read_numbers(const std::string& path);

/// The diagonals of --diagonals. b is one when the file has none. \throws Error InvalidFile.
GridProblem read_diagonals(const std::string& path, const Grid& grid);

/// What the request asks for. \throws UsageError, Error.
GridProblem make_problem(const GridRequest& request, ProgressLine& progress);

}  // namespace terrace::tools
