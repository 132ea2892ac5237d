// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an iteration ended.
#pragma once

#include <terrace/krylov_options.hpp>
#include <vector>

namespace terrace {

enum class StopReason {
  Converged,
  IterationLimit,
  Breakdown,   ///< a scalar that the method divides by is zero: another method or another start may work
  Indefinite,  ///< conjugate gradients met a direction that A or M does not bend upwards
  NotFinite,   ///< a NaN or Inf came up, from A, M, b, x or an overflow
  Stagnation,  ///< the residual stopped falling, or the true one would not follow the recursive one
};

struct KrylovResult {
  StopReason reason = StopReason::Converged;
  int iterations = 0;

  /// Relative to ||b||: at the start, and after each iteration, as the recursion has it. With PreconditionerSide::Left
  /// these are ||M (b - A x)|| / ||M b||.
  std::vector<double> residuals;

  double recursive_residual = 0;  ///< the last of them
  double true_residual = 0;       ///< ||b - A x|| / ||b|| of the x that was returned, computed anew

  double seconds = 0;                 ///< all of it
  double operator_seconds = 0;        ///< with options.time_phases
  double preconditioner_seconds = 0;  ///< with options.time_phases

  bool converged() const { return reason == StopReason::Converged; }
};

const char* to_string(StopReason);

}  // namespace terrace
