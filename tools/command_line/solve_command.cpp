// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of `terrace solve`: a source of a matrix, a preconditioner, a solver, a report.
#include "command_line/arguments.hpp"
#include "command_line/failure.hpp"
#include "command_line/request.hpp"

namespace terrace::tools {
namespace {

/// A setter of any target that takes a word or a number.
template <class Target>
auto into(Target& target) {
  return [&target](const auto& value) { target = value; };
}

void add_report_options(Arguments& command, Request& request) {
  command.add_flag("--json", request.json, "print one JSON object");
  command.add_word("--picture", "FILE", into(request.solve.picture),
                   "write a plane of the solution on a grid as an SVG picture");
  command.add_number("--slice", request.solve.slice, 0, "the plane k of the picture; default: the middle");
}

void add_method_options(Arguments& command, SolveOptions& options) {
  command.add_choice(
      "--format", options.format, std::array{MatrixFormat::Csr, MatrixFormat::Diagonals},
      "compressed rows, or the diagonals of the grid; default: diagonals where all options work on them");
  command.add_word(
      "--precond", preconditioner_words(),
      [&options](const std::string& word) { options.preconditioner = parse_preconditioner(word); },
      "incomplete factorization, or restricted additive Schwarz with one of BLOCKS blocks, 0 for the library's choice; "
      "default: ilu0, ic0 for a symmetric problem on a grid");
  command.add_word(
      "--solver", solver_words(), [&options](const std::string& word) { options.solver = parse_solver(word); },
      "Krylov method; default: gmres:30, cg for a symmetric problem on a grid");
}

/// What can be seen without the matrix.
void check_combinations(const Request& request) {
  check_source(request.source, "solve");
  check_direct(request);
  const SolveOptions& options = request.solve;
  if (options.picture.empty() && options.slice) throw UsageError("--slice: only --picture draws one");
  if (!options.picture.empty() && !request.source.is_grid())
    throw UsageError("--picture: FILE has no planes; --grid has");
  if (options.format == MatrixFormat::Diagonals && !request.source.is_grid())
    throw UsageError("--format: diagonals are those of a --grid; FILE has rows");
  if (request.seed && !options.right_hand_side.empty())
    throw UsageError("--seed: it makes a right-hand side, and --rhs gives one");
  if (options.preconditioner) check_preconditioner(options);
  if (!options.is_direct) check_schwarz(options);
}

constexpr std::array incomplete_algorithms{Algorithm::Automatic, Algorithm::Sequential, Algorithm::LevelScheduled,
                                           Algorithm::SyncFreeRows};
constexpr std::array direct_algorithms{LdltAlgorithm::Multifrontal, LdltAlgorithm::Columns};

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm each : incomplete_algorithms) names.emplace_back(to_string(each));
  for (const LdltAlgorithm each : direct_algorithms) names.emplace_back(to_string(each));
  return names;
}

void set_algorithm(SolveOptions& options, const std::string& name) {
  for (const Algorithm each : incomplete_algorithms)
    if (name == to_string(each)) options.pattern.algorithm = each;
  for (const LdltAlgorithm each : direct_algorithms)
    if (name == to_string(each)) options.direct.algorithm = each;
}

}  // namespace

void add_source_options(Arguments& command, Request& request) {
  MatrixSource& source = request.source;
  command.add_file(source.file, "FILE", false, "Matrix Market file, plain or gzipped");
  add_grid_options(command, source);
  command.add_word(
      "--rhs", "FILE", into(request.solve.right_hand_side),
      "Matrix Market file, of several columns for cg, bicgstab and --direct; default: the grid's, or from a random "
      "solution (with --seed on a grid too)");
}

void add_factorization_options(Arguments& command, SolveOptions& options) {
  command.add_real("--relaxation", 0.0, 1.0, "", into(options.relaxation),
                   "share of the dropped fill that goes to the diagonal; milu, mic: 1");
  command.add_real(
      "--max-fill", 0.0, 1e18, "", [&options](double fill) { options.pattern.max_fill = fill; },
      "iluk, ick: how many times the entries of the matrix the factors may have; default: 100, and always ten million "
      "entries");
  command.add_choice("--pivots", options.pivots,
                     std::array{PivotPolicy::Report, PivotPolicy::Replace, PivotPolicy::Shift},
                     "what to do about bad ones; default: report, for diagonals shift, for --direct replace");
  command.add_word(
      "--ordering", ordering_words(), [&options](const std::string& word) { options.ordering = parse_ordering(word); },
      "in which the unknowns are eliminated; FILE has a line for each row, its place in the order from 0, as ndmetis "
      "writes it; default: natural, for --direct automatic");
  command.add_choice("--scaling", options.scaling, std::array{Scaling::None, Scaling::Diagonal, Scaling::Equilibrate},
                     "of what is factorized; default: none, for --direct equilibrate, which is its own");
  command.add_name(
      "--algorithm", algorithm_names(), to_string(Algorithm::Automatic),
      [&options](const std::string& name) { set_algorithm(options, name); },
      "how rows of the factorization wait for one another; multifrontal and columns are --direct's");
  command.add_flag("--insert-diagonal", options.pattern.insert_missing_diagonal, "where rows store none");
}

void add_iteration_options(Arguments& command, SolveOptions& options) {
  command.add_real(
      "--tolerance", 0.0, 1.0, "", into(options.tolerance),
      "of the residual, relative to the right-hand side; for --direct of the componentwise backward error; "
      "default: 1e-08, for --direct with steps of refinement four rounding units of the precision");
  command.add_number("--max-iterations", options.max_iterations, 0, "at most so many; default: 1000, on a grid 10000");
  command.add_number("--check-every", options.check_every, 1,
                     "iterations between looks at the residual; default: 1, for terrace solve on a grid 10");
  command.add_choice("--side", options.side, std::array{PreconditionerSide::Left, PreconditionerSide::Right},
                     "of the preconditioner, for bicgstab and gmres");
}

void add_solve_command(Arguments& program, Request& request) {
  Arguments command = program.add_command(
      "solve", "Solve A x = b by a preconditioned iteration or directly, and check the solution", [&request] {
        request.command = Command::Solve;
        check_combinations(request);
      });
  command.set_footer(
      "Examples: terrace solve FILE --precond iluk:1\n"
      "          terrace solve FILE --precond ras:64,1 --block ilut:10,1e-3\n"
      "          terrace solve --grid 512,512 --precond mic --picture x.svg\n"
      "          terrace solve FILE --direct ldlt --rhs b.mtx");
  add_source_options(command, request);
  add_method_options(command, request.solve);
  add_direct_options(command, request.solve);
  add_factorization_options(command, request.solve);
  add_schwarz_options(command, request.solve.schwarz);
  add_iteration_options(command, request.solve);
  add_common_options(command, request);
  add_report_options(command, request);
}

}  // namespace terrace::tools
