// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `terrace trisolve`: reads a matrix, solves with one of its triangles, and judges the solution.
#pragma once

#include "support/progress_line.hpp"
#include "trisolve/trisolve_report.hpp"

namespace terrace::tools {

/// \throws UsageError for a real precision and a complex file; Error for wrong input.
TrisolveReport trisolve(const Request& request, ProgressLine& progress);

}  // namespace terrace::tools
