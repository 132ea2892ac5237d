// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/terminal.hpp"

#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <string_view>

namespace terrace::tools {

Terminal find_terminal() {
  std::setlocale(LC_CTYPE, "");
  return {.colours = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr,
          .unicode = std::string_view(nl_langinfo(CODESET)) == "UTF-8"};
}

}  // namespace terrace::tools
