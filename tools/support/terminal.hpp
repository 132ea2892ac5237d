// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the terminal can show.
#pragma once

namespace terrace::tools {

/// Colours: standard output is a terminal, and the user has not set NO_COLOR.
/// Unicode: the user's locale is UTF-8.
struct Terminal {
  bool colours = false;
  bool unicode = false;
};

Terminal find_terminal();

}  // namespace terrace::tools
