// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `terrace trisolve`: reads a matrix, solves with one of its triangles, and judges the solution.
#pragma once

#include <limits>
#include <terrace/triangular_info.hpp>

#include "command_line/request.hpp"
#include "report/pictures.hpp"
#include "system/triangular_system.hpp"

namespace terrace::tools {

/// What one run of the solver on a device brings back to the host.
template <class Number>
struct Measurement {
  TriangularInfo info;
  std::vector<int> level_widths;  ///< rows in each level
  std::string backend;
  int threads = 0;
  double analysis_s = std::numeric_limits<double>::quiet_NaN();
  double solve_s = std::numeric_limits<double>::quiet_NaN();  ///< median of the repetitions
  std::vector<Number> x;  ///< empty when the matrix allowed no solve: a singular row, or NaN or Inf
};

/// Analyzes and solves `system` in request.precision, which is one of this build's, on request.space.
/// \throws Error as TriangularSolver does, and InvalidOption for what this build does not contain.
template <class Number>
Measurement<Number> measure(const Request& request, const TriangularSystem<Number>& system, ProgressLine& progress);

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

/// \throws UsageError for a real precision and a complex file; Error for wrong input.
TrisolveReport trisolve(const Request& request, ProgressLine& progress);

void print_trisolve_text(const TrisolveReport& report);
void print_trisolve_json(const TrisolveReport& report);

}  // namespace terrace::tools
