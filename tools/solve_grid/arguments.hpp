// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of `terrace solve --grid`.
#pragma once

#include <CLI/CLI.hpp>

#include "solve_grid/grid_request.hpp"

namespace terrace::tools {

/// Adds the options of a grid solve to `command`. Parsing throws CLI::ValidationError for what makes no sense.
void add_grid_options(CLI::App& command, GridRequest& request);

}  // namespace terrace::tools
