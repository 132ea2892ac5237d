// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of structured grids: operations of every method on each shape; then solves with IC(0) and MIC(0), in one
// sample each, because the largest take minutes.
#pragma once

#include "grids/grid_system.hpp"
#include "harness/flags.hpp"

namespace terrace::perf {

/// structured_grid/SPACE/SHAPE. `solvers` are not chosen by flags; the largest shapes would keep a host busy for an
/// hour.
std::vector<Case> grid_cases(const Flags& flags, const std::string& space, bool is_host, std::vector<Entry> methods,
                             const std::vector<Entry>& solvers);

}  // namespace terrace::perf
