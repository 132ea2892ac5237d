// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "system/matrix_source.hpp"

#include <cstdlib>

#include "command_line/failure.hpp"

namespace terrace::tools {
namespace {

const char* data_folder() {
  const char* const folder = std::getenv("TERRACE_DATA");
  if (folder == nullptr)
    throw UsageError("--problem: spe10 reads spe10_kx.f32.gz from the folder that the variable TERRACE_DATA names");
  return folder;
}

GridProblem read_grid_problem(const MatrixSource& source, ProgressLine& progress) {
  if (source.problem == "spe10") return make_spe10(data_folder(), progress);
  progress.stage("making the problem");
  if (!source.diagonals.empty()) return read_diagonals(source.diagonals, *source.grid);
  return make_builtin_problem(*source.grid, source.problem.value_or("poisson"));
}

}  // namespace

void check_source(const MatrixSource& source) {
  if (source.file.empty() && !source.is_grid())
    throw UsageError("solve: FILE, --grid NX,NY[,NZ] or --problem spe10 is required");
  if (!source.file.empty() && source.is_grid())
    throw UsageError("solve: FILE and " +
                     std::string(source.grid      ? "--grid"
                                 : source.problem ? "--problem"
                                                  : "--diagonals") +
                     " are two sources of a matrix; choose one");
  if (!source.is_grid()) return;
  if (source.problem && !source.diagonals.empty())
    throw UsageError("--problem and --diagonals are two sources of a matrix; choose one");
  if (source.problem == "spe10") {
    if (source.grid && *source.grid != spe10_grid) throw UsageError("--grid: --problem spe10 has the grid 60,220,85");
  } else if (!source.grid) {
    throw UsageError(std::string(source.problem ? "--problem" : "--diagonals") + " needs --grid NX,NY or NX,NY,NZ");
  }
}

SourceMatrix read_source(const MatrixSource& source, ProgressLine& progress) {
  if (source.is_grid()) return read_grid_problem(source, progress);
  return read_matrix(source.file, progress);
}

}  // namespace terrace::tools
