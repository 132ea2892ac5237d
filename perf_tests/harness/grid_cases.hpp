// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of the benchmark on structured grids.
#pragma once

#include "harness/grid_space.hpp"

namespace terrace::perf {

/// The extents of a grid.
struct GridShape {
  int nx, ny, nz;
};

/// What the cases of one run share; the system at hand is made when the first case of its shape runs.
struct GridSession {
  GridSpace space;
  std::vector<std::string> methods;  ///< empty: all
  int repetitions = 11;
  int failures = 0;
};

/// Operations of every method on each shape, the methods taking turns; then solves with IC(0) and MIC(0).
void register_grid_cases(GridSession& session, const std::vector<GridShape>& operations,
                         const std::vector<GridShape>& solves);

}  // namespace terrace::perf
