// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one preconditioned iteration on a device brings back to the host.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <terrace/ilu_info.hpp>
#include <terrace/krylov_result.hpp>
#include <vector>

#include "command_line/request.hpp"
#include "solve/linear_system.hpp"
#include "support/progress_line.hpp"

namespace terrace::tools {

template <class Number>
struct Iteration {
  IluSymbolicInfo symbolic;
  IluInfo factor;
  std::int64_t dropped_entries = 0;  ///< by thresholds
  std::vector<KrylovResult> krylov;  ///< one for each column; empty when the factorization failed
  std::string backend;
  int threads = 0;
  double symbolic_s = std::numeric_limits<double>::quiet_NaN();  ///< NaN where there is no such phase
  double numeric_s = std::numeric_limits<double>::quiet_NaN();   ///< with the analysis of the solves
  double solve_s = std::numeric_limits<double>::quiet_NaN();
  std::vector<Number> x;  ///< as LinearSystem::b; empty when the factorization failed
};

/// Factorizes and iterates in request.precision, which is one of this build's, on request.space.
/// \throws Error as IluSymbolic and IlutFactor do, and InvalidOption for what this build does not contain.
template <class Number>
Iteration<Number> iterate(const Request& request, const LinearSystem<Number>& system, ProgressLine& progress);

}  // namespace terrace::tools
