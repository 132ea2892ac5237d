// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of the triangular solve: every matrix with every method, its analysis and its solve.
#pragma once

#include "harness/flags.hpp"
#include "triangular/triangular_problem.hpp"

namespace terrace::perf {

using OpenTriangularProblem = std::unique_ptr<Problem> (*)(LowerTriangle, bool is_upper, int columns, Layout layout);

/// triangular_solve/SPACE/MATRIX for the matrices, algorithms and peers that the flags ask for. Each timed solve
/// follows an untimed one: it finds the caches as an iteration that solves again and again would, not as the method
/// before it left them. A solution is checked from a vector that held none.
std::vector<Case> triangular_cases(const Flags& flags, const std::string& space, const std::vector<Entry>& algorithms,
                                   const std::vector<Entry>& peers, OpenTriangularProblem open);

}  // namespace terrace::perf
