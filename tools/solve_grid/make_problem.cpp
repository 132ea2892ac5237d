// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

#include "command_line/parse.hpp"
#include "solve_grid/grid_problem.hpp"

namespace terrace::tools {

GridProblem make_problem(const GridRequest& request, ProgressLine& progress) {
  const bool has_grid = request.grid != Grid{};
  if (request.diagonals.empty() && request.problem == "spe10") {
    if (has_grid && request.grid != Grid{60, 220, 85}) throw UsageError("--problem spe10 has the grid 60,220,85");
    const char* const folder = std::getenv("TERRACE_DATA");
    if (!folder) throw UsageError("--problem spe10 reads spe10_kx.f32.gz from the folder that TERRACE_DATA names");
    return make_spe10(folder, progress);
  }
  if (!has_grid) throw UsageError("--grid NX,NY or NX,NY,NZ is needed");
  progress.stage("making the problem");
  if (!request.diagonals.empty()) return read_diagonals(request.diagonals, request.grid);
  return make_builtin_problem(request.grid, request.problem);
}

}  // namespace terrace::tools
