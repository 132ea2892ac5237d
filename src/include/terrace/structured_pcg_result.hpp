// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When conjugate gradients on a structured grid shall stop, and how they ended.
#pragma once

#include <functional>
#include <terrace/stop_reason.hpp>
#include <vector>

namespace terrace {

/// Options of a solve. Aggregate.
struct StructuredPcgOptions {
  double tolerance = 1e-8;     ///< of the residual's 2-norm, relative to that of b
  int max_iterations = 10000;  ///< after which it gives up
  int check_every = 10;        ///< iterations enqueued between two waits for the device; 1 to 256
  int stagnation_window = 0;   ///< iterations without a new smallest residual that count as stagnation; 0: any number

  /// Called at each check with the iteration and the relative residual; may throw to give up, after which x is the
  /// guess or an iterate.
  std::function<void(int, double)> on_check = {};
};

/// How a solve ended. A result, never an exception, says that it did not converge.
/// Where the factor has a breakdown, x is left alone, the residuals and the norm are NaN, and there is no history.
struct StructuredPcgResult {
  StopReason reason = StopReason::IterationLimit;  ///< why it ended
  int iterations = 0;                              ///< in which x changed
  double residual = 0.0;                           ///< that the recursion carries, relative to the norm of b
  double true_residual = 0.0;                      ///< of b - A x, computed at the end
  double norm_of_b = 0.0;                          ///< the 2-norm that residuals are relative to
  std::vector<double> history;                     ///< relative residuals: at the start and after each iteration
  int restarts = 0;      ///< times the recursion was restarted because the true residual lagged behind
  double seconds = 0.0;  ///< of the solve on the host's clock

  /// Whether the true residual reached the tolerance.
  bool converged() const { return reason == StopReason::Converged; }
};

}  // namespace terrace
