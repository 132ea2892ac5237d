// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long do incomplete factorizations take, and an iteration with them, and how long do the peers take?
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "harness/context.hpp"
#include "harness/program.hpp"
#include "incomplete/factor_cases.hpp"

namespace {

using namespace terrace::perf;

/// On which incomplete factorizations are used.
const std::vector<std::string> grids{"grid7-120", "grid5-1024", "elastic-28"};

int measure(const FactorSpace& space, const MatrixEntry& matrix, int repetitions) {
  try {
    return measure_and_register(space, matrix, repetitions);
  } catch (const UnusableMatrix& reason) {
    std::fprintf(stderr, "%s is left out: %s\n", matrix.name.c_str(), reason.what());
    return 0;
  }
}

/// The serial loops play as long as there is somebody whom they judge.
void keep_chosen(FactorSpace& space, const std::vector<std::string>& chosen) {
  if (chosen.empty()) return;
  const auto is_serial = [](const auto& entry) { return entry.name.starts_with("serial_"); };
  std::vector<std::string> names;
  for (const auto& entry : space.factors) names.push_back(entry.name);
  for (const auto& entry : space.iterations) names.push_back(entry.name);
  require_choices("--algorithms", chosen, names);
  const auto is_left_out = [&](const auto& entry) {
    return !is_serial(entry) && std::find(chosen.begin(), chosen.end(), entry.name) == chosen.end();
  };
  const auto keep_in = [&](auto& entries) {
    std::erase_if(entries, is_left_out);
    std::set<std::string> judged;
    for (const auto& entry : entries)
      if (!is_serial(entry)) judged.insert(entry.algorithm);
    std::erase_if(entries, [&](const auto& entry) { return !judged.contains(entry.algorithm); });
  };
  keep_in(space.factors);
  keep_in(space.iterations);
}

int run(const Flags& flags, const std::string& command) {
  if (flags.help) return std::fputs(usage().c_str(), stdout) < 0;
  require_understood(flags, {"--size", "--space", "--shapes", "--algorithms", "--data", "--repetitions", "--list"});
  const std::vector<MatrixEntry> matrices = chosen_matrices(flags, grids);
  FactorSpace space = describe_chosen_space(flags, factor_spaces());
  keep_chosen(space, flags.algorithms);
  if (flags.list) {
    print_list(matrices, flags.upper);
    return 0;
  }
  int failures = 0;
  for (const MatrixEntry& matrix : matrices) failures += measure(space, matrix, flags.repetitions);
  add_context({space.name, cpu_name(), space.threads, nullptr, {}}, command);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, run); }
