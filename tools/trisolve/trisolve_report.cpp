// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of `terrace trisolve` on standard output, as text and as JSON.
#include <terrace/version.hpp>

#include "report/format.hpp"
#include "report/json.hpp"
#include "trisolve/trisolve.hpp"

namespace terrace::tools {
namespace {

Json system_json(const TrisolveReport& report) {
  const Request& request = report.request;
  const TrisolveOptions& options = request.trisolve;
  return {{"matrix", request.source.file},
          {"n", report.info.rows},
          {"nnz", report.entries},
          {"triangle", to_string(options.solver.uplo)},
          {"diag", to_string(options.solver.diag)},
          {"op", to_string(options.solver.op)},
          {"format", to_string(options.solver.format)},
          {"reuse", to_string(options.solver.reuse)},
          {"prepare_transpose", options.solver.prepare_transpose},
          {"deterministic", options.solver.deterministic},
          {"precision", request.precision},
          {"offset", request.offset},
          {"right_hand_sides", options.right_hand_sides},
          {"layout", to_string(options.layout)},
          {"repetitions", options.repetitions},
          {"seed", request.seed}};
}

Json solver_json(const TrisolveReport& report) {
  return {{"levels", report.levels.levels},
          {"widest_level", report.levels.widest},
          {"algorithm", to_string(report.info.algorithm)},
          {"storage", to_string(report.info.storage)},
          {"reason", report.info.reason},
          {"rows_per_task", report.info.rows_per_task},
          {"bytes_held", report.info.bytes_held},
          {"analysis_s", report.analysis_s},
          {"solve_s", report.solve_s},
          {"backward_error", report.backward_error},
          {"tolerated_backward_error", report.tolerated_error},
          {"backend", report.backend},
          {"threads", report.threads},
          {"version", version}};
}

std::string describe_system(const Request& request) {
  const TriangularOptions& options = request.trisolve.solver;
  std::string text = std::string(to_string(options.uplo)) + " triangle, " + to_string(options.diag) + " diagonal";
  if (options.op != Op::None) text += options.op == Op::Transpose ? ", transposed" : ", conjugate transposed";
  return text + ", " + request.precision;
}

std::string describe_levels(const LevelStatistics& levels) {
  return grouped(levels.levels) + "; rows per level: mean " + fixed(levels.mean, 1) + ", median " +
         fixed(levels.median, 1) + ", widest " + grouped(levels.widest);
}

std::string describe_algorithm(const TriangularInfo& info) {
  return std::string(to_string(info.algorithm)) + (info.storage == Storage::Hec ? ", in hec" : "");
}

std::string describe_solve(const TrisolveReport& report) {
  const TrisolveOptions& options = report.request.trisolve;
  std::string text = milliseconds(report.solve_s) + " ms, the median of " + grouped(options.repetitions);
  if (options.right_hand_sides > 1) text += ", for " + grouped(options.right_hand_sides) + " right-hand sides";
  return text;
}

}  // namespace

void print_trisolve_text(const TrisolveReport& report) {
  print_line("matrix", report.request.source.file);
  print_line("system", describe_system(report.request));
  print_line("size", grouped(report.info.rows) + " unknowns, " + grouped(report.entries) + " entries");
  print_line("levels", describe_levels(report.levels));
  print_line("backend", report.backend + ", concurrency " + grouped(report.threads));
  print_line("algorithm", describe_algorithm(report.info));
  print_line("", report.info.reason);
  print_line("memory", bytes(report.info.bytes_held) + " beyond the matrix");
  print_line("analysis", milliseconds(report.analysis_s) + " ms");
  if (report.row) return;
  print_line("solve", describe_solve(report));
  print_line("backward error",
             scientific(report.backward_error) + " (rounding explains " + scientific(report.tolerated_error) + ")");
}

void print_trisolve_json(const TrisolveReport& report) {
  Json object = system_json(report);
  object.update(solver_json(report));
  object.set("status", report.failure.empty() ? "ok" : "numerical failure");
  if (!report.failure.empty()) object.set("error", report.failure);
  if (report.row) object.set("row", *report.row);
  print_json(object);
}

}  // namespace terrace::tools
