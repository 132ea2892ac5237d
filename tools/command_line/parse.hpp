// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of the program `terrace`, as a Request.
#pragma once

#include <stdexcept>

#include "command_line/request.hpp"

namespace terrace::tools {

/// Arguments that make no sense; what() says which one and what would.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// \throws UsageError
Request parse_arguments(int argc, const char* const* argv);

}  // namespace terrace::tools
