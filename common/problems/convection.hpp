// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A synthetic problem of convection and diffusion, whose matrix is not symmetric.
#pragma once

#include "common/problems/rows_problem.hpp"

namespace terrace::common {

/// -laplace(u) + wind . grad(u) = 1 on the nodes inside a box, u = 0 on its boundary: seven points, the second
/// derivatives by central differences, the first by the difference towards the side where the wind comes from
/// ("upstream"), so that each row is weakly diagonally dominant and off its diagonal not positive, whatever the wind.
///
/// The wind blows around the vertical axis through the middle of the grid, like a solid body that turns, and upwards
/// with half of that strength. `wind` is its speed at the middle of the far sides times the distance of the nodes over
/// the diffusion: the Peclet number of a cell. Zero is Poisson's equation, as `poisson` has it. \throws Error
/// OutOfMemory: more cells than an int counts; InvalidOption: a wind that is negative or not finite.
RowsProblem make_convection(const Grid& grid, double wind);

/// The grids that imitate atmosmodd and atmosmodl of the SuiteSparse collection in the benchmarks, by their numbers of
/// rows.
inline constexpr Grid convection_grids[] = {{148, 148, 58}, {148, 148, 68}};

}  // namespace terrace::common
