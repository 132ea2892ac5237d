// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why an iteration ended.
#pragma once

namespace terrace {

/// How an iteration, or a refinement, ended.
enum class StopReason {
  Converged,                ///< the true residual is below the tolerance
  IterationLimit,           ///< max_iterations were done
  Breakdown,                ///< a scalar that the method divides by is zero: another method or start may work
  Indefinite,               ///< conjugate gradients met a direction that A or M does not bend upwards
  PreconditionerBreakdown,  ///< on structured grids: the factor has a breakdown, or r.M^-1 r was not positive
  NotFinite,                ///< a NaN or an Inf came up, from A, M, b, x or an overflow
  Stagnation,  ///< the residual stopped falling above the tolerance, or the true one would not follow the recursive one
};

const char* to_string(StopReason);  ///< converged, iteration-limit, breakdown, ...

}  // namespace terrace
