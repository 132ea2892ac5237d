// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of `terrace solve`.
#pragma once

#include "command_line/request.hpp"

namespace CLI {
class App;
}

namespace terrace::tools {

void add_solve_options(CLI::App& app, Request& request);

}  // namespace terrace::tools
