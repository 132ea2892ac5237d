// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a matrix comes from: a Matrix Market file, or a problem on a structured grid, built in or read.
#pragma once

#include <optional>
#include <variant>

#include "system/grid_problem.hpp"
#include "system/host_matrix.hpp"

namespace terrace::tools {

/// As the flags name it.
struct MatrixSource {
  std::string file;                    ///< Matrix Market, plain or gzipped
  std::optional<Grid> grid;            ///< of the problem
  std::optional<std::string> problem;  ///< poisson (when none is named), or another of problem_names
  std::optional<double> wind;          ///< of convection
  std::string diagonals;               ///< a file that holds the problem on the grid

  bool is_grid() const { return grid || problem || !diagonals.empty(); }
};

/// convection: upstream differences in a wind that turns, not symmetric (common/problems/convection.hpp). spe10: the
/// pressure equation of SPE's tenth comparative solution project (common/problems/spe10.hpp). reservoir: oil and water
/// in the same permeability, two unknowns a cell, not symmetric (common/problems/reservoir.hpp). The others: see
/// make_builtin_problem.
inline const std::vector<std::string> problem_names{"poisson",    "variable", "anisotropic",
                                                    "convection", "spe10",    "reservoir"};
inline constexpr double usual_wind = 0.5;

/// That of convection, given or usual; no other problem has one.
std::optional<double> find_wind(const MatrixSource& source);

/// As the source has it.
using SourceMatrix = std::variant<MatrixMarketMatrix, GridProblem, RowsProblem>;

/// Whether the flags of the command of that name give one source and all that it needs. \throws UsageError.
void check_source(const MatrixSource& source, const std::string& command);

/// The same where it must be a problem on a grid.
void check_grid_source(const MatrixSource& source, const std::string& command);

/// \throws UsageError; Error: what is wrong with a file.
SourceMatrix read_source(const MatrixSource& source, ProgressLine& progress);

}  // namespace terrace::tools
