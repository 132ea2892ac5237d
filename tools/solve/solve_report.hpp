// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `terrace solve` tells, whichever way it is printed.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <terrace/ilu_info.hpp>
#include <terrace/krylov_result.hpp>

#include "command_line/request.hpp"

namespace terrace::tools {

struct SolveReport {
  Request request;  ///< with every choice that was left open now made
  std::int64_t rows = 0;
  std::int64_t entries = 0;
  IluSymbolicInfo symbolic;
  IluInfo factor;
  std::int64_t dropped_entries = 0;  ///< by thresholds
  KrylovResult krylov;
  std::string backend;
  int threads = 0;
  double symbolic_s = std::numeric_limits<double>::quiet_NaN();
  double numeric_s = std::numeric_limits<double>::quiet_NaN();
  double solve_s = std::numeric_limits<double>::quiet_NaN();
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< ||b - A x|| / ||b||, computed on the host

  std::string failure;              ///< empty, or why there is no solution, in a sentence
  std::optional<std::int64_t> row;  ///< where it failed, counted from 0
};

}  // namespace terrace::tools
