// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "solve_grid/solve_grid.hpp"
#include "support/convergence_picture.hpp"
#include "support/format.hpp"
#include "support/print_line.hpp"
#include "support/terminal.hpp"

namespace terrace::tools {
namespace {

std::string describe_preconditioner(const GridReport& report) {
  if (!report.request.has_preconditioner) return "none";
  const StructuredFactorInfo& factor = report.solution.factor;
  std::string text =
      report.request.relaxation == 0.0 ? "IC(0)" : "MIC(0), relaxation " + fixed(report.request.relaxation, 3);
  if (factor.shift > 0.0)
    text +=
        "; shifted by " + scientific(factor.shift) + " after a breakdown at cell " + to_string(*factor.first_breakdown);
  return text;
}

std::string describe_sweeps(const StructuredFactorInfo& factor) {
  return std::string(to_string(factor.algorithm)) + ", " + grouped(factor.dependent_steps) + " dependent steps (" +
         grouped(factor.wavefronts) + " wavefronts of cells): " + factor.reason;
}

}  // namespace

void print_grid_text(const GridReport& report) {
  const StructuredPcgResult& result = report.solution.result;
  const double cells = double(report.grid.cells());
  print_line("problem", report.problem + ", " + report.request.precision);
  print_line("grid", to_string(report.grid) + ", " + grouped(report.grid.cells()) + " unknowns");
  print_line("backend", report.solution.backend + ", concurrency " + grouped(report.solution.threads));
  print_line("preconditioner", describe_preconditioner(report));
  if (report.request.has_preconditioner) print_line("sweeps", describe_sweeps(report.solution.factor));
  print_line("memory", bytes(report.solution.bytes_held) + " beyond the system, " +
                           fixed(double(report.solution.bytes_held) / cells, 0) + " bytes per unknown");
  print_line("setup", milliseconds(report.solution.setup_s) + " ms");
  print_line("solve",
             milliseconds(result.seconds) + " ms, " + grouped(result.iterations) + " iterations" +
                 (result.iterations > 0 ? " of " + milliseconds(result.seconds / result.iterations) + " ms" : ""));
  print_line("stopped", to_string(result.reason));
  print_line("residual", scientific(result.true_residual) + " of b - A x, " + scientific(result.residual) +
                             " by recursion; asked for " + scientific(report.request.tolerance));
  std::fputs(convergence_picture(result.history, find_terminal().unicode).c_str(), stdout);
}

}  // namespace terrace::tools
