// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The demo: one triangular system, every algorithm, every backend, side by side.
#include <cstdio>
#include <exception>

#include "demo/demo_request.hpp"
#include "demo/demo_system.hpp"
#include "demo/show.hpp"
#include "support/kokkos_session.hpp"

namespace terrace::tools {
namespace {

DemoSystem make_system(const DemoRequest& request) {
  ProgressLine progress;
  return make_demo_system(request, progress);
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
