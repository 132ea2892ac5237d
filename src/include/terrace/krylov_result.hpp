// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an iteration of KrylovSolver ended.
#pragma once

#include <terrace/iteration_result.hpp>
#include <terrace/krylov_options.hpp>

namespace terrace {

/// How a solve ended. With PreconditionerSide::Left the residuals are ||M (b - A x)|| / ||M b||.
struct KrylovResult : IterationResult {
  double operator_seconds = 0.0;        ///< with options.time_phases
  double preconditioner_seconds = 0.0;  ///< with options.time_phases
};

}  // namespace terrace
