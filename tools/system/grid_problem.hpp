// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems on structured grids, built in or from a file of diagonals.
#pragma once

#include <terrace/grid.hpp>

#include "common/problems/grid_problem.hpp"
#include "common/problems/rows_problem.hpp"
#include "common/problems/spe10.hpp"

namespace terrace::tools {

using common::count_entries;
using common::for_each_face;
using common::GridProblem;
using common::RowsProblem;
using common::spe10_grid;
using common::to_rows;

/// poisson: the Laplacian on the nodes inside a box. variable: -div(k grad u) with k between exp(-2) and exp(2) in
/// waves. anisotropic: couplings of 1 along x, 0.01 along y and z. b is one in all of them.
GridProblem make_builtin_problem(const Grid& grid, const std::string& name);

/// Diagonals as a file has them: little-endian numbers of type double, plain or gzipped; center, x, y, z (when nz > 1),
/// and b, which is one when the file has none.
/// \throws Error InvalidFile; CrossesBoundary: a coefficient towards a neighbor outside the grid.
GridProblem read_diagonals(const std::string& path, const Grid& grid);

}  // namespace terrace::tools
