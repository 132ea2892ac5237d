// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `terrace solve`: reads a matrix, factorizes it incompletely, iterates, and judges the solution.
#pragma once

#include "solve/solve_report.hpp"
#include "support/progress_line.hpp"

namespace terrace::tools {

/// \throws UsageError for choices that do not suit the file; Error for wrong input.
SolveReport solve(const Request& request, ProgressLine& progress);

}  // namespace terrace::tools
