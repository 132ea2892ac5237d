// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of the demo.
#pragma once

#include <string>

namespace terrace::tools {

struct DemoRequest {
  std::string help;    ///< not empty when that is all the user wants
  std::string matrix;  ///< a Matrix Market file; empty: a 3-D Poisson matrix
  int size = 120;      ///< grid points along each edge of the Poisson cube
  int threads = 0;     ///< 0: what Kokkos chooses
};

/// \throws UsageError
DemoRequest parse_demo_arguments(int argc, const char* const* argv);

}  // namespace terrace::tools
