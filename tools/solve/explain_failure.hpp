// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why there is no solution, and what the user may try instead.
#pragma once

#include "solve/solve_report.hpp"

namespace terrace::tools {

/// Fills failure and row when the factorization or the iteration failed, or the residual is too large.
void explain_failure(SolveReport& report);

}  // namespace terrace::tools
