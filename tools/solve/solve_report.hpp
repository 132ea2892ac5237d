// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `terrace solve` tells, whichever way it is printed.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <terrace/ilu_info.hpp>
#include <terrace/krylov_result.hpp>
#include <vector>

#include "command_line/request.hpp"

namespace terrace::tools {

struct SolveReport {
  Request request;  ///< with every choice that was left open now made
  std::int64_t rows = 0;
  std::int64_t entries = 0;
  int columns = 1;  ///< right-hand sides
  IluSymbolicInfo symbolic;
  IluInfo factor;
  std::int64_t dropped_entries = 0;    ///< by thresholds
  std::vector<KrylovResult> krylov;    ///< one for each column; empty when the factorization failed
  std::vector<double> true_residuals;  ///< ||b - A x|| / ||b|| of each column, computed on the host
  std::string backend;
  int threads = 0;
  double symbolic_s = std::numeric_limits<double>::quiet_NaN();
  double numeric_s = std::numeric_limits<double>::quiet_NaN();
  double solve_s = std::numeric_limits<double>::quiet_NaN();

  std::string failure;              ///< empty, or why there is no solution, in a sentence
  std::optional<std::int64_t> row;  ///< where it failed, counted from 0

  /// The column that says most about the whole: the first that failed, else the one with the most iterations.
  std::size_t decisive_column() const;
  double largest_residual() const;
};

/// Whether it converged, and the true residual is below the tolerance.
bool column_succeeded(const SolveReport& report, std::size_t column);

}  // namespace terrace::tools
