// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/demo_request.hpp"

#include <CLI/CLI.hpp>

#include "command_line/parse.hpp"

namespace terrace::tools {

DemoRequest parse_demo_arguments(int argc, const char* const* argv) {
  DemoRequest request;
  CLI::App app{"Solves one lower triangle with every algorithm of Terrace, and compares.", "terrace_demo"};
  app.add_option("MATRIX", request.matrix, "Matrix Market file, plain or gzipped; default: a 3-D Poisson matrix")
      ->type_name("");
  app.add_option("--size", request.size, "grid points along each edge of the Poisson cube")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--threads", request.threads, "threads of the host backend")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  app.footer("Exit status: 0 success; 1 a solution is wrong; 2 wrong usage or input.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    request.help = app.help();
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return request;
}

}  // namespace terrace::tools
