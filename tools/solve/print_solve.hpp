// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of `terrace solve` on standard output.
#pragma once

#include "solve/solve_report.hpp"

namespace terrace::tools {

void print_solve_text(const SolveReport& report);
void print_solve_json(const SolveReport& report);

}  // namespace terrace::tools
