// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long do the analysis and the solve of a sparse triangular system take, and how long do the peers take?
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "harness/context.hpp"
#include "harness/program.hpp"
#include "harness/triangular_cases.hpp"

namespace {

using namespace terrace::perf;

// "none" leaves nothing, an empty list everything.
bool is_chosen(const std::string& name, const std::vector<std::string>& chosen) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
}

std::vector<MethodEntry> chosen_methods(const Flags& flags, const std::vector<MethodEntry>& all) {
  std::vector<MethodEntry> algorithms, peers, methods;
  for (const MethodEntry& method : all)
    (method.kind == MethodEntry::Kind::Terrace ? algorithms : peers).push_back(method);
  auto algorithm_names = names_of(algorithms), peer_names = names_of(peers);
  algorithm_names.push_back("none");
  peer_names.push_back("none");
  require_choices("--algorithms", flags.algorithms, algorithm_names);
  require_choices("--peers", flags.peers, peer_names);
  for (const MethodEntry& method : all)
    if (is_chosen(method.name, method.kind == MethodEntry::Kind::Terrace ? flags.algorithms : flags.peers))
      methods.push_back(method);
  return methods;
}

int run(const Flags& flags, const std::string& command) {
  if (flags.help) return std::fputs(usage().c_str(), stdout) < 0;
  const std::vector<MatrixEntry> matrices = chosen_matrices(flags, {});
  const MeasuredSpace space = describe_chosen_space(flags, space_names());
  const std::vector<MethodEntry> methods = chosen_methods(flags, space.methods);
  if (flags.list) {
    print_list(matrices, flags.upper);
    return 0;
  }
  add_context(space, command);
  benchmark::AddCustomContext("precision", sizeof(Real) == sizeof(double) ? "double" : "float");
  benchmark::AddCustomContext("triangle", flags.upper ? "upper" : "lower");
  benchmark::AddCustomContext("right_hand_sides", std::to_string(flags.right_hand_sides));
  Session session(space, methods, {std::max(1, flags.repetitions / 3), flags.repetitions}, flags.upper,
                  flags.right_hand_sides);
  register_triangular_cases(session, matrices);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return session.failures() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, run); }
