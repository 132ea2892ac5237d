// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The demo: one triangular system, every algorithm, every backend, side by side.
#include <cstdio>

#include "command_line/arguments.hpp"
#include "command_line/failure.hpp"
#include "demo/show.hpp"
#include "device/kokkos_session.hpp"

namespace terrace::tools {
namespace {

struct DemoRequest {
  std::string help;    ///< not empty when that is all the user wants
  std::string matrix;  ///< a Matrix Market file; empty: a 3-D Poisson matrix
  int size = 120;      ///< grid points along each edge of the Poisson cube
  int threads = 0;     ///< 0: what Kokkos chooses
};

DemoRequest parse_demo_arguments(int argc, const char* const* argv) {
  DemoRequest request;
  Arguments program("terrace_demo", "Solves one lower triangle with every algorithm of Terrace, and compares.");
  program.add_file(request.matrix, "MATRIX", false,
                   "Matrix Market file, plain or gzipped; default: a 3-D Poisson matrix");
  program.add_number("--size", request.size, 1, "grid points along each edge of the Poisson cube", 1000);
  program.add_number("--threads", request.threads, 1, "threads of the host backend", 4096);
  program.set_footer("Exit status: 0 success; 1 a solution is wrong; 2 wrong usage or input.");
  if (program.parse(argc, argv) == Arguments::Wanted::Help) request.help = program.help();
  return request;
}

DemoSystem make_system(const DemoRequest& request) {
  ProgressLine progress;
  if (!request.matrix.empty()) return read_demo_system(request.matrix, progress);
  progress.stage("making the Poisson matrix");
  return make_poisson_system(request.size);
}

int run_demo(const DemoRequest& request) {
  if (!request.help.empty()) {
    std::fputs(request.help.c_str(), stdout);
    return 0;
  }
  const KokkosSession session(request.threads);
  const DemoSystem demo = make_system(request);
  const Terminal terminal = find_terminal();
  const bool is_right = std::visit([&](const auto& system) { return show(demo, system, terminal); }, demo.system);
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace terrace::tools

int main(int argc, char** argv) {
  using namespace terrace::tools;
  try {
    return run_demo(parse_demo_arguments(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "terrace_demo: %s\n", error.what());
    return 2;
  }
}
