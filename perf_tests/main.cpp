// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function of every benchmark program: a command line, an execution space, the cases of the program's suite.
#include <KokkosKernels_config.h>
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "harness/build_facts.hpp"
#include "harness/records.hpp"
#include "harness/suite.hpp"
#include "matrices/matrix_entry.hpp"

namespace terrace::perf {

std::string cpu_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line))
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

namespace {

/// Kokkos's numbers: 40700 is 4.7.0.
std::string version(int number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

/// The space that the flags ask for, or Kokkos's default one. \throws UsageError
MeasuredSpace describe_chosen_space(const Flags& flags) {
  const std::string name = flags.space.empty() ? Kokkos::DefaultExecutionSpace::name() : flags.space;
  require_choices("--space", {name}, names_of(space_names));
  const auto chosen =
      std::find_if(space_names.begin(), space_names.end(), [&](const auto& s) { return s.name == name; });
  return chosen->describe(flags);
}

/// Where and of what a measurement was made: the context of every JSON file.
void add_context(const MeasuredSpace& space, const Flags& flags, const std::string& command) {
  const std::pair<const char*, std::string> facts[] = {
      {"commit", commit},
      {"build_type", build_type},
      {"compiler", compiler},
      {"kokkos", version(KOKKOS_VERSION)},
      {"kokkos_kernels", version(KOKKOSKERNELS_VERSION)},
      {"space", space.name},
      {"threads", std::to_string(space.threads)},
      {"cpu", cpu_name()},
      {"processor", space.processor},
      {"command", command},
      {"precision", sizeof(Real) == sizeof(double) ? "double" : "float"},
      {"triangle", flags.upper ? "upper" : "lower"},
      {"right_hand_sides", std::to_string(flags.right_hand_sides)},
      {"layout", flags.right_layout ? "right" : "left"},
  };
  for (const auto& [name, value] : facts) benchmark::AddCustomContext(name, value);
}

int run(const Flags& flags, const std::string& command) {
  if (flags.help) return std::fputs(usage().c_str(), stdout) < 0;
  require_understood(flags, suite.flags);
  MeasuredSpace space = describe_chosen_space(flags);
  if (flags.list) {
    print_list(chosen_matrices(flags, suite.usual_shapes), flags.upper);
    return 0;
  }
  add_context(space, flags, command);
  Records records(std::move(space.cases), known_rates(space.processor));
  records.register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return records.failures() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace terrace::perf

int main(int argc, char** argv) {
  const std::string program = std::filesystem::path(argv[0]).filename().string();
  std::string command = program;
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  const bool asks_for_help = argc > 1 && (std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h");
  if (!asks_for_help) benchmark::Initialize(&argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return terrace::perf::run(terrace::perf::parse_flags(argc, argv), command);
  } catch (const terrace::perf::UsageError& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    return 2;
  }
}
