// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an iteration ended: what the results of all iterations have in common.
#pragma once

#include <terrace/stop_reason.hpp>
#include <vector>

namespace terrace {

/// How a solve of one system ended. A result, never an exception, says that it did not converge.
struct IterationResult {
  StopReason reason = StopReason::Converged;  ///< why it ended
  int iterations = 0;                         ///< that were done, restarts included

  /// Relative to ||b||: at the start, and after each iteration, as the recursion has it. Where ||b|| is not finite, it
  /// is the only one.
  std::vector<double> residuals;

  double recursive_residual = 0.0;  ///< the last of them; after a breakdown, too, that of the x that was returned
  double true_residual = 0.0;       ///< ||b - A x|| / ||b|| of the x that was returned, computed anew
  double seconds = 0.0;             ///< of the solve on the host's clock

  /// Whether the true residual reached the tolerance.
  bool converged() const { return reason == StopReason::Converged; }
};

}  // namespace terrace
