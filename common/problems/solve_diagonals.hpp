// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves a symmetric positive definite problem on a grid, where the solution is what another problem is made of.
#pragma once

#include <functional>

#include "common/problems/grid_problem.hpp"

namespace terrace::common {

/// Called with the residual, relative to b, after each iteration.
using WatchResidual = std::function<void(double)>;

/// Conjugate gradients with an incomplete Cholesky factorization, IC(0), from x = 0, by one thread,
/// so that
/// the bits depend on no number of threads, until the residual has fallen to `tolerance` ||b||.
/// \throws Error NotPositive where it does not fall so far within 10,000 iterations.
std::vector<double> solve_diagonals(const GridProblem& problem, double tolerance, const WatchResidual& watch = {});

}  // namespace terrace::common
