// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lower triangular system that the demo solves, and how it came to be.
#pragma once

#include <string>
#include <variant>

#include "demo/demo_request.hpp"
#include "support/progress_line.hpp"
#include "support/triangular_system.hpp"

namespace terrace::tools {

struct DemoSystem {
  std::string title;
  std::string remark;  ///< what was changed to make the system well-posed; empty when nothing was
  std::variant<TriangularSystem<double>, TriangularSystem<std::complex<double>>> system;
};

/// The diagonal is stored in every row, as its last entry: the peers need it, a unit one is never read by Terrace.
/// \throws Error
DemoSystem make_demo_system(const DemoRequest& request, ProgressLine& progress);

}  // namespace terrace::tools
