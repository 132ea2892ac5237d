// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of --direct.
#include <algorithm>

#include "report/format.hpp"
#include "solve/solve.hpp"

namespace terrace::tools {
namespace {

std::string with_row(const std::string& what, const std::optional<std::int64_t>& row) {
  return row ? ", " + what + " first in row " + std::to_string(*row) : "";
}

void print_factor(const LdltFacts& facts, const SolveOptions& options) {
  const LdltSymbolicInfo& symbolic = facts.symbolic;
  std::string what = std::string("L D L^T, ") + to_string(symbolic.algorithm);
  what += std::string(", scaling ") + to_string(ldlt_factor_options(options).scaling);
  if (options.schwarz.factor_precision == FactorPrecision::Single) what += ", in single precision";
  print_line("factorization", what);
  print_line("ordering", std::string(to_string(symbolic.ordering)) + ": " + symbolic.ordering_reason);
  const std::int64_t before = std::max<std::int64_t>(symbolic.matrix_entries, 1);
  const double fill = static_cast<double>(symbolic.factor_entries) / static_cast<double>(before);
  print_line("entries of L", grouped(symbolic.factor_entries) + ", " + fixed(fill, 1) +
                                 " times those of A's triangle; " + grouped(symbolic.stored_entries) + " stored");
  print_line("fronts", grouped(symbolic.fronts) + " on " + grouped(symbolic.levels) + " levels, the largest of " +
                           grouped(symbolic.largest_front) + " rows; " + grouped(symbolic.longest_path) +
                           " columns on the longest path");
  print_line("memory", bytes(symbolic.factor_bytes) + " for L and D in double, " + bytes(symbolic.peak_bytes) +
                           " with all that a factorization needs");
}

void print_pivots(const LdltInfo& info) {
  std::string text = "from " + scientific(info.smallest_pivot) + " to " + scientific(info.largest_pivot) +
                     " of largest entry " + scientific(info.largest_entry) + ", growth " + scientific(info.growth);
  text += info.policy == PivotPolicy::Report ? ", none replaced (report)"
                                             : ", " + grouped(info.replaced_pivots) + " replaced";
  print_line("pivots", text + with_row("zero", info.first_zero_pivot) + with_row("tiny", info.first_tiny_pivot));
}

/// Operations a second, in the unit that leaves a few digits.
std::string rate(double operations, double seconds) {
  const double tera = operations / seconds * 1e-12;
  return tera >= 0.1 ? fixed(tera, 2) + " TFLOP/s" : fixed(tera * 1e3, tera >= 1e-3 ? 1 : 3) + " GFLOP/s";
}

void print_phases(const RunFacts& run) {
  for (const Phase& phase : run.phases) {
    std::string text = pad_left(milliseconds(phase.seconds), 6) + " ms";
    if (phase.operations)
      text += ", " + scientific(*phase.operations) + " operations, " + rate(*phase.operations, phase.seconds);
    print_line((phase.name).c_str(), text);
  }
}

std::string describe(const RefinedColumn& column) {
  std::string text;
  for (const double error : column.backward_errors) text += (text.empty() ? "" : " > ") + scientific(error);
  return text + ": " + to_string(column.reason) + " after " + grouped(column.steps) + " steps" +
         (column.used_gmres ? ", the last ones of GMRES" : "");
}

}  // namespace

void print_direct_text(const SolveReport& report) {
  const LdltFacts& facts = *report.direct();
  print_factor(facts, report.request.solve);
  print_pivots(facts.numeric);
  print_phases(report.run);
  if (facts.refined.empty()) return;
  const std::size_t shown = report.columns > 1 ? facts.refined.size() : 0;
  print_line("backward error", describe(facts.refined[report.worst_column()]));
  for (std::size_t k = 0; k < shown; ++k)
    print_line(("column " + std::to_string(k)).c_str(), describe(facts.refined[k]));
  print_line("residual", scientific(report.largest_residual()) + " of b - A x (backward error asked for " +
                             scientific(*report.request.solve.tolerance) + ")");
}

}  // namespace terrace::tools
