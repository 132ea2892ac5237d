// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `terrace trisolve` tells, whichever way it is printed.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <terrace/triangular_info.hpp>

#include "command_line/request.hpp"
#include "support/level_picture.hpp"

namespace terrace::tools {

struct TrisolveReport {
  Request request;           ///< with every choice that was left open now made
  std::int64_t entries = 0;  ///< of the triangle, as it was handed to the solver
  TriangularInfo info;
  LevelStatistics levels;
  std::string backend;
  int threads = 0;
  double analysis_s = std::numeric_limits<double>::quiet_NaN();
  double solve_s = std::numeric_limits<double>::quiet_NaN();
  double backward_error = std::numeric_limits<double>::quiet_NaN();
  double tolerated_error = std::numeric_limits<double>::quiet_NaN();

  std::string failure;              ///< empty, or why the numbers cannot be trusted, in a sentence
  std::optional<std::int64_t> row;  ///< where it failed, counted from 0
};

}  // namespace terrace::tools
