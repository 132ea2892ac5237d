// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an iteration ended.
#pragma once

#include <terrace/krylov_options.hpp>
#include <terrace/stop_reason.hpp>
#include <vector>

namespace terrace {

/// How a solve ended. A result, never an exception, says that it did not converge.
struct KrylovResult {
  StopReason reason = StopReason::Converged;  ///< why it ended
  int iterations = 0;                         ///< that were done, restarts included

  /// Relative to ||b||: at the start, and after each iteration, as the recursion has it. With PreconditionerSide::Left
  /// these are ||M (b - A x)|| / ||M b||. Where ||b|| is not finite, it is the only one.
  std::vector<double> residuals;

  double recursive_residual = 0;  ///< the last of them; after a breakdown, too, that of the x that was returned
  double true_residual = 0;       ///< ||b - A x|| / ||b|| of the x that was returned, computed anew

  double seconds = 0;                 ///< all of it
  double operator_seconds = 0;        ///< with options.time_phases
  double preconditioner_seconds = 0;  ///< with options.time_phases

  /// Whether the true residual reached the tolerance.
  bool converged() const { return reason == StopReason::Converged; }
};

}  // namespace terrace
