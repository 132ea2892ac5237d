// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one run of the solver on a device brings back to the host.
#pragma once

#include <limits>
#include <string>
#include <terrace/triangular_info.hpp>
#include <vector>

#include "command_line/request.hpp"
#include "support/progress_line.hpp"
#include "support/triangular_system.hpp"

namespace terrace::tools {

template <class Number>
struct Measurement {
  TriangularInfo info;
  std::vector<int> level_widths;  ///< rows in each level
  std::string backend;
  std::string offset;
  int threads = 0;
  double analysis_s = std::numeric_limits<double>::quiet_NaN();
  double solve_s = std::numeric_limits<double>::quiet_NaN();  ///< median of the repetitions
  std::vector<Number> x;  ///< empty when the matrix allowed no solve: a singular row, or NaN or Inf
};

/// Analyses and solves `system` in request.precision, which is one of this build's, on request.space.
/// \throws Error as TriangularSolver does, and InvalidOption for what this build does not contain.
template <class Number>
Measurement<Number> measure(const Request& request, const TriangularSystem<Number>& system, ProgressLine& progress);

}  // namespace terrace::tools
