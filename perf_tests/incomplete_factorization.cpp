// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long do incomplete factorizations take, and an iteration with them, and how long do the peers take?
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>

#include "harness/context.hpp"
#include "harness/program.hpp"
#include "incomplete/factor_cases.hpp"

namespace {

using namespace terrace::perf;

/// Without names: grids, on which incomplete factorizations are used.
std::vector<std::string> chosen_shapes(const Flags& flags) {
  require_choices("--shapes", flags.shapes, names_of(shapes()));
  return flags.shapes.empty() ? std::vector<std::string>{"grid7-120", "grid5-1024", "elastic-28"} : flags.shapes;
}

/// The serial loop always plays: the others are judged by it.
void keep_chosen(FactorSpace& space, const std::vector<std::string>& chosen) {
  if (chosen.empty()) return;
  const auto leave_out = [&](const auto& entry) {
    return entry.name != "serial_loop" && entry.name != "serial_pcg" &&
           std::find(chosen.begin(), chosen.end(), entry.name) == chosen.end();
  };
  std::vector<std::string> names;
  for (const auto& entry : space.factors) names.push_back(entry.name);
  for (const auto& entry : space.iterations) names.push_back(entry.name);
  require_choices("--algorithms", chosen, names);
  std::erase_if(space.factors, leave_out);
  std::erase_if(space.iterations, leave_out);
}

int run(const Flags& flags, const std::string& command) {
  if (flags.help) return std::fputs(usage().c_str(), stdout) < 0;
  FactorSpace space = describe_chosen_space(flags, factor_spaces());
  keep_chosen(space, flags.algorithms);
  int failures = 0;
  for (const MatrixEntry& matrix : generated_matrices(chosen_shapes(flags), flags.size))
    failures += measure_and_register(space, matrix, flags.repetitions);
  add_context({space.name, cpu_name(), space.threads, nullptr, {}}, command);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, run); }
