// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `terrace solve --grid`: makes a problem on a structured grid, solves it, and says how that went.
#pragma once

#include "solve_grid/grid_solution.hpp"

namespace terrace::tools {

struct GridReport {
  GridRequest request;
  Grid grid;
  std::string problem;
  GridSolution solution;
  std::string failure;  ///< empty, or why x is not the solution, in a sentence
};

/// Writes the picture too, when one was asked for. \throws UsageError; Error.
GridReport solve_grid(const GridRequest& request, ProgressLine& progress);

void print_grid_text(const GridReport& report);
void print_grid_json(const GridReport& report);

}  // namespace terrace::tools
