// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a matrix comes from: a Matrix Market file, or a problem on a structured grid, built in or read.
#pragma once

#include <optional>
#include <variant>

#include "system/grid_problem.hpp"

namespace terrace::tools {

/// As the flags name it.
struct MatrixSource {
  std::string file;                    ///< Matrix Market, plain or gzipped
  std::optional<Grid> grid;            ///< of the problem
  std::optional<std::string> problem;  ///< poisson (when none is named), variable, anisotropic, spe10
  std::string diagonals;               ///< a file that holds the problem on the grid

  bool is_grid() const { return grid || problem || !diagonals.empty(); }
};

/// As the source has it.
using SourceMatrix = std::variant<MatrixMarketMatrix, GridProblem>;

/// Whether the flags name one source and all that it needs. \throws UsageError.
void check_source(const MatrixSource& source);

/// \throws UsageError; Error: what is wrong with a file.
SourceMatrix read_source(const MatrixSource& source, ProgressLine& progress);

}  // namespace terrace::tools
