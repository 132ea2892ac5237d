// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the JSON of a solve and of a study share.
#pragma once

#include "report/json.hpp"
#include "solve/solve.hpp"

namespace terrace::tools {

/// Of the matrix, the options and the right-hand sides.
Json system_json(const SolveReport& report);

/// Null where there was no factorization.
Json factor_json(const SolveReport& report);

}  // namespace terrace::tools
