// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line/request.hpp"

#include <built_names.hpp>
#include <climits>

#include "command_line/arguments.hpp"
#include "command_line/failure.hpp"
#include "report/format.hpp"

namespace terrace::tools {
namespace {

void add_system_options(Arguments& command, TrisolveOptions& options) {
  TriangularOptions& solver = options.solver;
  command.add_choice("--triangle", solver.uplo, std::array{Uplo::Lower, Uplo::Upper}, "the triangle that is solved");
  command.add_choice("--diag", solver.diag, std::array{Diag::NonUnit, Diag::Unit}, "unit: taken as one, never read");
  command.add_choice("--op", solver.op, std::array{Op::None, Op::Transpose, Op::ConjugateTranspose},
                     "the triangle, its transpose, or its conjugate transpose");
  command.add_choice("--format", solver.format, std::array{Format::Csr, Format::Csc}, "compressed rows or columns");
  command.add_number("--rhs", options.right_hand_sides, 1, "number of right-hand sides");
  command.add_choice("--layout", options.layout, std::array{VectorLayout::Left, VectorLayout::Right},
                     "right-hand sides column after column, or row after row");
}

void add_solver_options(Arguments& command, TrisolveOptions& options) {
  TriangularOptions& solver = options.solver;
  command.add_choice("--algorithm", solver.algorithm,
                     std::array{Algorithm::Automatic, Algorithm::Sequential, Algorithm::LevelScheduled,
                                Algorithm::SyncFreeRows, Algorithm::SyncFreeColumns, Algorithm::Blocked},
                     "how it is solved");
  command.add_choice("--storage", solver.storage, std::array{Storage::Automatic, Storage::Crs, Storage::Hec},
                     "how the levels' rows are kept: compressed, or in HEC (ELL and compressed rows)");
  command.add_choice("--reuse", solver.reuse, std::array{Reuse::Many, Reuse::Once},
                     "how many solves the analysis shall pay for");
  command.add_flag("--prepare-transpose", solver.prepare_transpose, "make the transpose of --op as fast as --op");
  command.add_flag("--deterministic", solver.deterministic, "the same bits each time, whatever the operation");
  command.add_number("--rows-per-task", solver.rows_per_task, 0,
                     "rows that one thread solves as a unit; default: 0, chosen by the analysis");
  command.add_flag(
      "--no-check", [&solver] { solver.check_structure = false; }, "skip the checks that look at every entry");
  command.add_number("--repetitions", options.repetitions, 1, "timed solves; the median is reported");
}

void add_info_command(Arguments& program, Request& request) {
  Arguments command = program.add_command("info", "Describe a matrix: size, symmetry, triangles, levels, diagonal",
                                          [&request] { request.command = Command::Info; });
  command.add_file(request.source.file, "FILE", true, "Matrix Market file, plain or gzipped");
  command.add_flag("--json", request.json, "print one JSON object");
}

void add_trisolve_command(Arguments& program, Request& request) {
  Arguments command =
      program.add_command("trisolve", "Solve with a triangle of a matrix, and check the solution", [&request] {
        request.command = Command::Trisolve;
        const TriangularOptions& solver = request.trisolve.solver;
        if (solver.deterministic && solver.algorithm == Algorithm::SyncFreeColumns)
          throw UsageError("--deterministic: --algorithm sync-free-columns adds in the order of arrival");
      });
  command.add_file(request.source.file, "FILE", true, "Matrix Market file, plain or gzipped");
  command.add_flag("--json", request.json, "print one JSON object");
  add_system_options(command, request.trisolve);
  add_solver_options(command, request.trisolve);
  add_common_options(command, request);
}

template <class Names>
void add_built_name(Arguments& command, const std::string& flag, std::string& target, const Names& names,
                    const std::string& description) {
  const auto set = [&target](const std::string& name) { target = name; };
  command.add_name(flag, {names.begin(), names.end()}, "", set, description);
}

}  // namespace

void add_common_options(Arguments& command, Request& request) {
  add_built_name(command, "--precision", request.precision, built_precisions,
                 "default: double, complex-double for a complex file");
  add_built_name(command, "--offset", request.offset, built_offsets,
                 "type of the row map; default: int where it suffices");
  command.add_number("--seed", request.seed, 0, "of the random solution; default: 1",
                     std::numeric_limits<unsigned>::max());
  add_built_name(command, "--space", request.space, built_spaces, "default: the default execution space of Kokkos");
  command.add_number("--threads", request.threads, 1, "threads of the host backend");
}

Request parse_arguments(int argc, const char* const* argv) {
  Request request;
  Arguments program("terrace", "Sparse linear systems, triangular and general, solved in parallel.");
  program.set_footer("Exit status: 0 success; 1 numerical failure, such as a zero pivot; 2 wrong usage or input.");
  program.add_flag(
      "--version", [&request] { request.command = Command::Version; }, "versions, backends and their concurrency");
  add_info_command(program, request);
  add_trisolve_command(program, request);
  add_solve_command(program, request);
  add_study_command(program, request);
  add_write_command(program, request);
  if (program.parse(argc, argv) == Arguments::Wanted::Help) request.command = Command::Help;
  if (request.command == Command::Help) request.help = program.help();
  return request;
}

const char* to_string(VectorLayout layout) { return layout == VectorLayout::Left ? "left" : "right"; }

const char* to_string(MatrixFormat format) { return format == MatrixFormat::Csr ? "csr" : "diagonals"; }

bool is_complex(const std::string& precision) { return precision.starts_with("complex"); }

bool is_single(const std::string& precision) { return precision.ends_with("float"); }

void choose_precision(Request& request, const SourceMatrix& matrix) {
  const auto* const file = std::get_if<MatrixMarketMatrix>(&matrix);
  const bool complex_file = file != nullptr && file->header.field == MatrixMarketHeader::Field::Complex;
  if (request.precision.empty()) request.precision = complex_file ? "complex-double" : "double";
  if (complex_file && !is_complex(request.precision))
    throw UsageError("--precision: " + request.precision + " cannot hold the complex numbers of " +
                     request.source.file + "; choose complex-float or complex-double");
}

void choose_offset(Request& request, std::size_t entries) {
  const bool fits = entries <= static_cast<std::size_t>(INT_MAX);
  if (request.offset.empty()) request.offset = fits ? "int" : "size_t";
  if (request.offset == "int" && !fits)
    throw UsageError("--offset: int cannot count the " + grouped(static_cast<std::int64_t>(entries)) +
                     " entries; choose size_t");
}

}  // namespace terrace::tools
