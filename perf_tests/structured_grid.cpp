// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long do the parts of MIC-PCG take on structured grids, by diagonals, by compressed rows, and by the peers? How
// many iterations do IC(0) and MIC(0) take?
#include <benchmark/benchmark.h>

#include <cstdio>

#include "harness/context.hpp"
#include "harness/grid_cases.hpp"
#include "harness/program.hpp"

namespace {

using namespace terrace::perf;

const std::vector<GridShape>& operation_shapes(Size size) {
  static const std::vector<GridShape> toy{{40, 30, 1}, {12, 13, 14}};
  static const std::vector<GridShape> full{
      {1024, 1024, 1}, {2048, 2048, 1}, {120, 120, 120}, {148, 148, 58}, {256, 256, 256}};
  return size == Size::Toy ? toy : full;
}

/// The largest would keep a host busy for an hour.
std::vector<GridShape> solve_shapes(Size size, bool is_host) {
  if (size == Size::Toy) return {{32, 32, 1}, {8, 8, 8}};
  std::vector<GridShape> shapes{{128, 128, 1},   {256, 256, 1}, {512, 512, 1}, {1024, 1024, 1},
                                {2048, 2048, 1}, {32, 32, 32},  {64, 64, 64},  {128, 128, 128}};
  if (!is_host) shapes.insert(shapes.end(), {{256, 256, 256}, {512, 512, 512}});
  return shapes;
}

int run(const Flags& flags, const std::string& command) {
  if (flags.help) return std::fputs(usage().c_str(), stdout) < 0;
  require_understood(flags, {"--size", "--space", "--algorithms", "--repetitions"});
  GridSession session{describe_chosen_space(flags, grid_space_names()), flags.algorithms, flags.repetitions, 0};
  add_context({session.space.name, session.space.processor, session.space.threads, nullptr, {}}, command);
  register_grid_cases(session, operation_shapes(flags.size), solve_shapes(flags.size, session.space.is_host));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return session.failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, run); }
