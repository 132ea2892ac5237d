// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "solve/print_solve.hpp"
#include "support/convergence_picture.hpp"
#include "support/format.hpp"
#include "support/print_line.hpp"
#include "support/terminal.hpp"

namespace terrace::tools {
namespace {

std::string describe_preconditioner(const SolveReport& report) {
  const SolveOptions& options = report.request.solve;
  if (!options.preconditioned) return "none";
  std::string text = options.preconditioner + ", " + to_string(options.pattern.factorization) + ", " +
                     grouped(report.symbolic.factor_entries) + " entries";
  if (options.pattern.ordering != Ordering::Natural)
    text += std::string(", ordering ") + to_string(options.pattern.ordering);
  if (report.symbolic.colours > 0) text += " of " + grouped(report.symbolic.colours) + " colours";
  if (options.factor.scaling != Scaling::None) text += ", scaled by the diagonal";
  if (options.thresholds) text += ", " + grouped(report.dropped_entries) + " dropped";
  if (report.factor.replaced_pivots > 0) text += ", " + grouped(report.factor.replaced_pivots) + " pivots replaced";
  if (report.factor.shift > 0) text += ", diagonal shifted by " + scientific(report.factor.shift);
  return text;
}

void print_factor(const SolveReport& report) {
  print_line("preconditioner", describe_preconditioner(report));
  if (!report.request.solve.preconditioned) return;
  print_line("", std::string(to_string(report.symbolic.algorithm)) + ": " + report.symbolic.reason);
  print_line("memory", bytes(report.symbolic.bytes_held + report.factor.bytes_held) + " beyond the matrix");
  if (!report.request.solve.thresholds) print_line("symbolic", milliseconds(report.symbolic_s) + " ms");
  print_line("numeric", milliseconds(report.numeric_s) + " ms, with the analysis of the solves");
}

std::string describe_end(const KrylovResult& krylov) {
  return std::string(to_string(krylov.reason)) + " after " + grouped(krylov.iterations) + " iterations";
}

void print_columns(const SolveReport& report) {
  for (std::size_t k = 0; report.columns > 1 && k < report.krylov.size(); ++k)
    print_line(("column " + std::to_string(k)).c_str(),
               describe_end(report.krylov[k]) + ", residual " + scientific(report.true_residuals[k]));
}

}  // namespace

void print_solve_text(const SolveReport& report) {
  print_line("matrix", report.request.file + ", " + report.request.precision);
  print_line("size", grouped(report.rows) + " unknowns, " + grouped(report.entries) + " entries");
  print_line("backend", report.backend + ", concurrency " + grouped(report.threads));
  print_factor(report);
  if (!report.factor.succeeded()) return;
  const KrylovResult& decisive = report.krylov[report.decisive_column()];
  print_line("solver", report.request.solve.solver + ": " + describe_end(decisive) + " in " +
                           milliseconds(report.solve_s) + " ms");
  print_columns(report);
  print_line("residual", scientific(report.largest_residual()) + " (asked for " +
                             scientific(report.request.solve.krylov.tolerance) + ")");
  std::fputs(convergence_picture(decisive.residuals, find_terminal().unicode).c_str(), stdout);
}

}  // namespace terrace::tools
