// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of `terrace trisolve` on standard output.
#pragma once

#include "trisolve/trisolve_report.hpp"

namespace terrace::tools {

void print_trisolve_text(const TrisolveReport& report);
void print_trisolve_json(const TrisolveReport& report);

}  // namespace terrace::tools
