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

/// Of --direct: the two phases of the factorization; the columns; what each phase took.
Json factor_json(const LdltFacts& facts, const SolveOptions& options);
Json refined_json(const SolveReport& report);
Json phases_json(const SolveReport& report);

}  // namespace terrace::tools
