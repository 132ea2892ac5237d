// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long do the analysis and the solve of a sparse triangular system take, and how long do the peers take?
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "harness/context.hpp"
#include "harness/flags.hpp"
#include "harness/triangular_cases.hpp"

namespace {

using namespace terrace::perf;

// "none" leaves nothing, an empty list everything.
bool is_chosen(const std::string& name, const std::vector<std::string>& chosen) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

MeasuredSpace chosen_space(const Flags& flags) {
  const std::string name = flags.space.empty() ? Kokkos::DefaultExecutionSpace::name() : flags.space;
  require_choices("--space", {name}, names_of(space_names()));
  for (const SpaceName& space : space_names())
    if (space.name == name) return space.describe();
  throw UsageError("--space=" + name);
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

std::vector<MatrixEntry> chosen_matrices(const Flags& flags) {
  auto shape_names = names_of(shapes());
  shape_names.push_back("none");
  require_choices("--shapes", flags.shapes, shape_names);
  std::vector<MatrixEntry> matrices = generated_matrices(flags.shapes, flags.size);
  if (flags.data.empty()) return matrices;
  try {
    for (const MatrixEntry& matrix : stored_matrices(flags.data)) matrices.push_back(matrix);
  } catch (const std::exception& error) {
    throw UsageError("--data=" + flags.data + ": " + error.what());
  }
  return matrices;
}

void print_list(const std::vector<MatrixEntry>& matrices) {
  std::printf("%-20s %10s %11s %7s %9s\n", "matrix", "n", "nnz", "levels", "widest");
  for (const MatrixEntry& matrix : matrices) {
    const LowerTriangle L = matrix.make();
    const LevelCount levels = count_levels(L);
    std::printf("%-20s %10d %11zu %7d %9d\n", matrix.name.c_str(), L.n, L.nnz(), levels.levels, levels.widest);
    std::fflush(stdout);
  }
}

// The command line without the folder of the program.
std::string command_line(int argc, char** argv) {
  std::string command = std::filesystem::path(argv[0]).filename().string();
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  return command;
}

int run(const Flags& flags, const std::string& command) {
  if (flags.help) return std::fputs(usage().c_str(), stdout) < 0;
  const std::vector<MatrixEntry> matrices = chosen_matrices(flags);
  const MeasuredSpace space = chosen_space(flags);
  const std::vector<MethodEntry> methods = chosen_methods(flags, space.methods);
  if (flags.list) {
    print_list(matrices);
    return 0;
  }
  add_context(space, command);
  Session session(space, methods, {std::max(1, flags.repetitions / 3), flags.repetitions}, flags.right_hand_sides);
  register_triangular_cases(session, matrices);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return session.failures() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = command_line(argc, argv);
  const bool asks_for_help = argc > 1 && (std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h");
  if (!asks_for_help) benchmark::Initialize(&argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run(parse_flags(argc, argv), command);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "terrace_perf: %s\n", error.what());
    return 2;
  }
}
