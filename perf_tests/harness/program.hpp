// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the benchmark programs have in common: their main function, and the choice of a space.
#pragma once

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <filesystem>

#include "harness/flags.hpp"

namespace terrace::perf {

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

/// The space that the flags ask for, or Kokkos's default one. \throws UsageError
template <class SpaceName>
auto describe_chosen_space(const Flags& flags, const std::vector<SpaceName>& spaces) {
  const std::string name = flags.space.empty() ? Kokkos::DefaultExecutionSpace::name() : flags.space;
  require_choices("--space", {name}, names_of(spaces));
  for (const SpaceName& space : spaces)
    if (space.name == name) return space.describe();
  throw UsageError("--space=" + name);
}

/// Calls run(flags, command), where the command is the command line without the folder of the program. Returns what
/// main shall return: 2 for wrong usage.
template <class Run>
int run_program(int argc, char** argv, const Run& run) {
  const std::string program = std::filesystem::path(argv[0]).filename().string();
  std::string command = program;
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  const bool asks_for_help = argc > 1 && (std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h");
  if (!asks_for_help) benchmark::Initialize(&argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run(parse_flags(argc, argv), command);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    return 2;
  }
}

}  // namespace terrace::perf
