// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line/parse.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <built_names.hpp>
#include <limits>
#include <string>
#include <vector>

#include "solve_grid/arguments.hpp"

namespace terrace::tools {
namespace {

const char* to_string(VectorLayout layout) { return layout == VectorLayout::Left ? "left" : "right"; }

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  return text;
}

CLI::Range at_least(int least) { return {least, std::numeric_limits<int>::max()}; }

/// An option whose value is a number that `check` accepts.
void add_number(CLI::App& app, const std::string& flag, int& target, const CLI::Validator& check,
                const std::string& description) {
  CLI::Option* const option = app.add_option(flag, target, description)->check(check.description(""))->type_name("N");
  if (target != 0) option->capture_default_str();
}

/// An option whose values are the printed names of `choices`.
template <class Choice, std::size_t count>
void add_choice(CLI::App& app, const std::string& flag, Choice& target, const std::array<Choice, count>& choices,
                const std::string& description) {
  std::vector<std::string> names;
  names.reserve(count);
  for (const Choice choice : choices) names.emplace_back(to_string(choice));
  const auto assign = [&target, choices, names](const std::string& name) {
    for (std::size_t k = 0; k < count; ++k) {
      if (names[k] == name) target = choices[k];
    }
  };
  app.add_option_function<std::string>(flag, assign, description)
      ->check(CLI::IsMember(names).description(""))
      ->type_name(join(names))
      ->default_str(to_string(target));
}

/// An option whose values are the names of what this build contains.
template <class Names>
void add_name(CLI::App& app, const std::string& flag, std::string& target, const Names& names,
              const std::string& description) {
  const std::vector<std::string> words(names.begin(), names.end());
  app.add_option(flag, target, description)->check(CLI::IsMember(words).description(""))->type_name(join(words));
}

void add_system_options(CLI::App& app, Request& request) {
  TriangularOptions& options = request.options;
  add_choice(app, "--triangle", options.uplo, std::array{Uplo::Lower, Uplo::Upper}, "the triangle that is solved");
  add_choice(app, "--diag", options.diag, std::array{Diag::NonUnit, Diag::Unit}, "unit: taken as one, never read");
  add_choice(app, "--op", options.op, std::array{Op::None, Op::Transpose, Op::ConjugateTranspose},
             "the triangle, its transpose, or its conjugate transpose");
  add_choice(app, "--format", options.format, std::array{Format::Csr, Format::Csc}, "compressed rows or columns");
  add_name(app, "--precision", request.precision, built_precisions,
           "default: double, complex-double for a complex file");
  add_name(app, "--offset", request.offset, built_offsets, "type of the row map; default: int where it suffices");
  add_number(app, "--rhs", request.right_hand_sides, at_least(1), "number of right-hand sides");
  add_choice(app, "--layout", request.layout, std::array{VectorLayout::Left, VectorLayout::Right},
             "right-hand sides column after column, or row after row");
  app.add_option("--seed", request.seed, "of the random solution")->type_name("N")->capture_default_str();
}

void add_solver_options(CLI::App& app, Request& request) {
  TriangularOptions& options = request.options;
  add_choice(app, "--algorithm", options.algorithm,
             std::array{Algorithm::Automatic, Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeRows,
                        Algorithm::SyncFreeColumns, Algorithm::Blocked},
             "how it is solved");
  add_number(app, "--rows-per-task", options.rows_per_task, at_least(0),
             "rows that one thread solves as a unit; default: 0, chosen by the analysis");
  app.add_flag_callback(
      "--no-check", [&options] { options.check_structure = false; }, "skip the checks that look at every entry");
  add_number(app, "--repetitions", request.repetitions, at_least(1), "timed solves; the median is reported");
  add_name(app, "--space", request.space, built_spaces, "default: the default execution space of Kokkos");
  add_number(app, "--threads", request.threads, at_least(1), "threads of the host backend");
}

void add_commands(CLI::App& app, Request& request) {
  app.require_subcommand(0, 1);
  app.add_flag_callback(
      "--version", [&request] { request.command = Command::Version; }, "versions, backends and their concurrency");
  CLI::App* info = app.add_subcommand("info", "Describe a matrix: size, symmetry, triangles, levels, diagonal");
  CLI::App* trisolve = app.add_subcommand("trisolve", "Solve with a triangle of a matrix, and check the solution");
  for (CLI::App* command : {info, trisolve}) {
    command->add_option("FILE", request.file, "Matrix Market file, plain or gzipped")->required()->type_name("");
    command->add_flag("--json", request.json, "print one JSON object");
  }
  info->callback([&request] { request.command = Command::Info; });
  trisolve->callback([&request] { request.command = Command::Trisolve; });
  add_system_options(*trisolve, request);
  add_solver_options(*trisolve, request);

  CLI::App* solve = app.add_subcommand("solve", "Solve a problem on a structured grid by MIC-PCG");
  add_grid_options(*solve, request.grid_request);
  solve->callback([&request] { request.command = Command::SolveGrid; });
}

}  // namespace

Request parse_arguments(int argc, const char* const* argv) {
  Request request;
  CLI::App app{"Sparse triangular systems, analysed and solved in parallel.", "terrace"};
  app.footer("Exit status: 0 success; 1 numerical failure, such as a zero pivot; 2 wrong usage or input.");
  add_commands(app, request);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    request.command = Command::Help;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (request.command == Command::Help) request.help = app.help();
  return request;
}

}  // namespace terrace::tools
