// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "support/format.hpp"
#include "trisolve/print_trisolve.hpp"

namespace terrace::tools {
namespace {

void line(const char* name, const std::string& text) { std::printf("%-16s%s\n", name, text.c_str()); }

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
  line("matrix", report.request.file);
  line("system", describe_system(report.request));
  line("size", grouped(report.info.rows) + " unknowns, " + grouped(report.entries) + " entries");
  line("levels", describe_levels(report.levels));
  line("backend", report.backend + ", concurrency " + grouped(report.threads));
  line("algorithm", to_string(report.info.algorithm));
  line("", report.info.reason);
  line("memory", bytes(report.info.bytes_held) + " beyond the matrix");
  line("analysis", milliseconds(report.analysis_s) + " ms");
  if (report.row) return;
  line("solve", describe_solve(report));
  line("backward error",
       scientific(report.backward_error) + " (rounding explains " + scientific(report.tolerated_error) + ")");
}

}  // namespace terrace::tools
