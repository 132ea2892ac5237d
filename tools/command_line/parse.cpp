// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line/parse.hpp"

#include <built_names.hpp>
#include <string>

#include "command_line/add_options.hpp"
#include "command_line/add_solve_options.hpp"
#include "solve_grid/arguments.hpp"

namespace terrace::tools {

/// For add_choice, which finds it with the type.
const char* to_string(VectorLayout layout) { return layout == VectorLayout::Left ? "left" : "right"; }

namespace {

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
  add_choice(app, "--reuse", options.reuse, std::array{Reuse::Many, Reuse::Once},
             "how many solves the analysis shall pay for");
  app.add_flag("--prepare-transpose", options.prepare_transpose, "make the transpose of --op as fast as --op");
  app.add_flag("--deterministic", options.deterministic, "the same bits each time, whatever the operation");
  add_number(app, "--rows-per-task", options.rows_per_task, at_least(0),
             "rows that one thread solves as a unit; default: 0, chosen by the analysis");
  app.add_flag_callback(
      "--no-check", [&options] { options.check_structure = false; }, "skip the checks that look at every entry");
  add_number(app, "--repetitions", request.repetitions, at_least(1), "timed solves; the median is reported");
  add_name(app, "--space", request.space, built_spaces, "default: the default execution space of Kokkos");
  add_number(app, "--threads", request.threads, at_least(1), "threads of the host backend");
}

CLI::App* add_file_command(CLI::App& app, Request& request, const std::string& name, const std::string& description) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_option("FILE", request.file, "Matrix Market file, plain or gzipped")->required()->type_name("");
  command->add_flag("--json", request.json, "print one JSON object");
  return command;
}

void add_solve_command(CLI::App& app, Request& request) {
  CLI::App* solve =
      add_file_command(app, request, "solve", "Solve A x = b by a preconditioned iteration, and check the solution");
  solve->footer("On a structured grid: terrace solve --grid NX,NY[,NZ] (with --help for its options).");
  add_solve_options(*solve, request);
  solve->callback([&request] {
    request.command = Command::Solve;
    const SolveOptions& options = request.solve;
    const bool is_ordered = options.pattern.ordering != Ordering::Natural || options.factor.scaling != Scaling::None;
    if (is_ordered && !options.preconditioned)
      throw UsageError("--ordering, --scaling: they are a preconditioner's, and --precond is none");
    if (options.pattern.algorithm != Algorithm::Automatic && options.thresholds)
      throw UsageError("--algorithm: " + options.preconditioner + " has only one");
    if (request.relaxation && options.thresholds)
      throw UsageError("--relaxation: " + options.preconditioner + " has none");
    if (request.relaxation) request.solve.factor.relaxation = *request.relaxation;
  });
}

void add_solve_grid_command(CLI::App& app, Request& request) {
  CLI::App* solve = app.add_subcommand("solve", "Solve a problem on a structured grid by MIC-PCG");
  add_grid_options(*solve, request.grid_request);
  solve->callback([&request] { request.command = Command::SolveGrid; });
}

/// `solve` is one command for files and another for grids.
bool asks_for_grid(int argc, const char* const* argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k], flag = word.substr(0, word.find('='));
    if (flag == "--grid" || flag == "--problem" || flag == "--diagonals") return true;
  }
  return false;
}

void add_commands(CLI::App& app, Request& request, bool on_grid) {
  app.require_subcommand(0, 1);
  app.add_flag_callback(
      "--version", [&request] { request.command = Command::Version; }, "versions, backends and their concurrency");
  CLI::App* info =
      add_file_command(app, request, "info", "Describe a matrix: size, symmetry, triangles, levels, diagonal");
  info->callback([&request] { request.command = Command::Info; });
  CLI::App* trisolve =
      add_file_command(app, request, "trisolve", "Solve with a triangle of a matrix, and check the solution");
  trisolve->callback([&request] { request.command = Command::Trisolve; });
  add_system_options(*trisolve, request);
  add_solver_options(*trisolve, request);
  if (on_grid) add_solve_grid_command(app, request);
  else add_solve_command(app, request);
}

}  // namespace

Request parse_arguments(int argc, const char* const* argv) {
  Request request;
  CLI::App app{"Sparse linear systems, triangular and general, solved in parallel.", "terrace"};
  app.footer("Exit status: 0 success; 1 numerical failure, such as a zero pivot; 2 wrong usage or input.");
  add_commands(app, request, asks_for_grid(argc, argv));
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
