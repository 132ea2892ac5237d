// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When conjugate gradients on a structured grid shall stop, and how they ended.
#pragma once

#include <functional>
#include <terrace/iteration_result.hpp>

namespace terrace {

/// Options of a solve. Aggregate.
struct StructuredPcgOptions {
  double tolerance = 1e-8;     ///< of the residual's 2-norm, relative to that of b
  int max_iterations = 10000;  ///< after which it gives up
  int check_every = 10;        ///< iterations enqueued between two waits for the device; 1 to 256
  int stagnation_window = 0;   ///< iterations without a new smallest residual that count as stagnation; 0: any number

  /// Called at each check with the iteration and the relative residual; may throw to give up, after which x is the
  /// guess or an iterate.
  std::function<void(int, double)> monitor = {};
};

/// How a solve ended. `iterations` are those in which x changed. Where the factor has a breakdown, x is left alone, the
/// recursive and the true residual and the norm are NaN, and `residuals` is empty.
struct StructuredPcgResult : IterationResult {
  double norm_of_b = 0.0;  ///< the 2-norm that residuals are relative to
  int restarts = 0;        ///< times the recursion was restarted because the true residual lagged behind
};

}  // namespace terrace
