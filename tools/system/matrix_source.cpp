// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "system/matrix_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "command_line/failure.hpp"
#include "common/problems/convection.hpp"
#include "common/problems/reservoir.hpp"
#include "report/format.hpp"

namespace terrace::tools {
namespace {

bool is_problem(const MatrixSource& source, const char* name) { return source.problem == name; }

/// They have the cells of SPE10.
bool has_own_grid(const MatrixSource& source) { return is_problem(source, "spe10") || is_problem(source, "reservoir"); }

common::Conductivity read_permeability(const MatrixSource& source, ProgressLine& progress) {
  const char* const folder = std::getenv("TERRACE_DATA");
  if (folder == nullptr)
    throw UsageError("--problem: " + *source.problem +
                     " reads spe10_kx.f32.gz from the folder that the variable TERRACE_DATA names");
  progress.stage("reading the permeability");
  return common::read_spe10_permeability(folder);
}

GridProblem make_spe10(const MatrixSource& source, ProgressLine& progress) {
  GridProblem problem = common::make_pressure_problem(spe10_grid, read_permeability(source, progress));
  problem.description = "spe10";
  return problem;
}

RowsProblem make_reservoir(const MatrixSource& source, ProgressLine& progress) {
  const common::Conductivity permeability = read_permeability(source, progress);
  return common::make_reservoir(spe10_grid, permeability, [&progress](double residual) {
    progress.stage("solving for the pressure, residual " + scientific(residual));
    progress.fraction(std::clamp(std::log(residual) / std::log(common::reservoir_pressure_tolerance), 0.0, 1.0));
  });
}

RowsProblem make_convection(const MatrixSource& source) {
  RowsProblem problem = common::make_convection(*source.grid, *find_wind(source));
  problem.description = "convection";
  return problem;
}

SourceMatrix make_problem(const MatrixSource& source, ProgressLine& progress) {
  if (is_problem(source, "spe10")) return make_spe10(source, progress);
  if (is_problem(source, "reservoir")) return make_reservoir(source, progress);
  progress.stage("making the problem");
  if (is_problem(source, "convection")) return make_convection(source);
  if (!source.diagonals.empty()) return read_diagonals(source.diagonals, *source.grid);
  return make_builtin_problem(*source.grid, source.problem.value_or("poisson"));
}

void check_grid(const MatrixSource& source) {
  if (source.problem && !source.diagonals.empty())
    throw UsageError("--problem and --diagonals are two sources of a matrix; choose one");
  if (has_own_grid(source)) {
    if (source.grid && *source.grid != spe10_grid)
      throw UsageError("--grid: --problem " + *source.problem + " has the grid 60,220,85");
  } else if (!source.grid) {
    throw UsageError(std::string(source.problem ? "--problem" : "--diagonals") + " needs --grid NX,NY or NX,NY,NZ");
  }
  if (source.wind && !is_problem(source, "convection")) throw UsageError("--wind: only --problem convection has one");
}

}  // namespace

std::optional<double> find_wind(const MatrixSource& source) {
  if (!is_problem(source, "convection")) return std::nullopt;
  return source.wind.value_or(usual_wind);
}

void check_source(const MatrixSource& source, const std::string& command) {
  if (source.wind && !source.is_grid()) throw UsageError("--wind: only --problem convection has one");
  if (source.file.empty() && !source.is_grid())
    throw UsageError(command + ": FILE, --grid NX,NY[,NZ] or --problem spe10|reservoir is required");
  if (!source.file.empty() && source.is_grid())
    throw UsageError(command + ": FILE and " +
                     (source.grid      ? "--grid"
                      : source.problem ? "--problem"
                                       : "--diagonals") +
                     " are two sources of a matrix; choose one");
  if (source.is_grid()) check_grid(source);
}

void check_grid_source(const MatrixSource& source, const std::string& command) {
  if (!source.is_grid()) throw UsageError(command + ": --grid NX,NY[,NZ] or --problem spe10|reservoir is required");
  check_grid(source);
}

SourceMatrix read_source(const MatrixSource& source, ProgressLine& progress) {
  if (source.is_grid()) return make_problem(source, progress);
  return read_matrix(source.file, progress);
}

}  // namespace terrace::tools
