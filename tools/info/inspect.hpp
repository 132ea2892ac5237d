// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `terrace info`: reads a matrix and looks at it from every side that matters to a triangular solve.
#pragma once

#include "command_line/request.hpp"
#include "info/info_report.hpp"
#include "support/progress_line.hpp"

namespace terrace::tools {

/// \throws Error for a file that cannot be read
InfoReport inspect(const Request& request, ProgressLine& progress);

}  // namespace terrace::tools
