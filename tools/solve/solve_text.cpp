// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "solve/print_solve.hpp"
#include "support/convergence_picture.hpp"
#include "support/format.hpp"
#include "support/terminal.hpp"

namespace terrace::tools {
namespace {

void line(const char* name, const std::string& text) { std::printf("%-16s%s\n", name, text.c_str()); }

std::string describe_preconditioner(const SolveReport& report) {
  const SolveOptions& options = report.request.solve;
  if (!options.preconditioned) return "none";
  std::string text = options.preconditioner + ", " + to_string(options.pattern.factorization) + ", " +
                     grouped(report.symbolic.factor_entries) + " entries";
  if (report.factor.replaced_pivots > 0) text += ", " + grouped(report.factor.replaced_pivots) + " pivots replaced";
  if (report.factor.shift > 0) text += ", diagonal shifted by " + scientific(report.factor.shift);
  return text;
}

void print_factor(const SolveReport& report) {
  line("preconditioner", describe_preconditioner(report));
  if (!report.request.solve.preconditioned) return;
  line("", std::string(to_string(report.symbolic.algorithm)) + ": " + report.symbolic.reason);
  line("memory", bytes(report.symbolic.bytes_held + report.factor.bytes_held) + " beyond the matrix");
  line("symbolic", milliseconds(report.symbolic_s) + " ms");
  line("numeric", milliseconds(report.numeric_s) + " ms, with the analysis of the solves");
}

}  // namespace

void print_solve_text(const SolveReport& report) {
  line("matrix", report.request.file + ", " + report.request.precision);
  line("size", grouped(report.rows) + " unknowns, " + grouped(report.entries) + " entries");
  line("backend", report.backend + ", concurrency " + grouped(report.threads));
  print_factor(report);
  if (!report.factor.succeeded()) return;
  line("solver", report.request.solve.solver + ": " + to_string(report.krylov.reason) + " after " +
                     grouped(report.krylov.iterations) + " iterations in " + milliseconds(report.solve_s) + " ms");
  line("residual",
       scientific(report.residual) + " (asked for " + scientific(report.request.solve.krylov.tolerance) + ")");
  std::fputs(convergence_picture(report.krylov.residuals, find_terminal().unicode).c_str(), stdout);
}

}  // namespace terrace::tools
