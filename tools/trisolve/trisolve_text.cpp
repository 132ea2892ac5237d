// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "support/format.hpp"
#include "support/print_line.hpp"
#include "trisolve/print_trisolve.hpp"

namespace terrace::tools {
namespace {

std::string describe_system(const Request& request) {
  const TriangularOptions& options = request.options;
  std::string text = std::string(to_string(options.uplo)) + " triangle, " + to_string(options.diag) + " diagonal";
  if (options.op != Op::None) text += options.op == Op::Transpose ? ", transposed" : ", conjugate transposed";
  return text + ", " + request.precision;
}

std::string describe_levels(const LevelStatistics& levels) {
  return grouped(levels.levels) + "; rows per level: mean " + fixed(levels.mean, 1) + ", median " +
         fixed(levels.median, 1) + ", widest " + grouped(levels.widest);
}

std::string describe_solve(const TrisolveReport& report) {
  const Request& request = report.request;
  std::string text = milliseconds(report.solve_s) + " ms, the median of " + grouped(request.repetitions);
  if (request.right_hand_sides > 1) text += ", for " + grouped(request.right_hand_sides) + " right-hand sides";
  return text;
}

}  // namespace

void print_trisolve_text(const TrisolveReport& report) {
  print_line("matrix", report.request.file);
  print_line("system", describe_system(report.request));
  print_line("size", grouped(report.info.rows) + " unknowns, " + grouped(report.entries) + " entries");
  print_line("levels", describe_levels(report.levels));
  print_line("backend", report.backend + ", concurrency " + grouped(report.threads));
  print_line("algorithm", to_string(report.info.algorithm));
  print_line("", report.info.reason);
  print_line("memory", bytes(report.info.bytes_held) + " beyond the matrix");
  print_line("analysis", milliseconds(report.analysis_s) + " ms");
  if (report.row) return;
  print_line("solve", describe_solve(report));
  print_line("backward error",
             scientific(report.backward_error) + " (rounding explains " + scientific(report.tolerated_error) + ")");
}

}  // namespace terrace::tools
