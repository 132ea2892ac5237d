// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/format.hpp"
#include "report/pictures.hpp"
#include "report/terminal.hpp"
#include "solve/solve.hpp"

namespace terrace::tools {
namespace {

/// What a factorization is, and on further lines how it is organized.
struct FactorText {
  std::string what;
  std::vector<std::string> how = {};
};

std::string describe_order(const SolveOptions& options) {
  std::string text;
  if (options.pattern.ordering != Ordering::Natural)
    text += std::string(", ordering ") + to_string(options.pattern.ordering);
  if (options.scaling.value_or(Scaling::None) != Scaling::None) text += ", scaled by the diagonal";
  return text;
}

std::string describe_pivots(const IluInfo& info) {
  std::string text;
  if (info.replaced_pivots > 0) text += ", " + grouped(info.replaced_pivots) + " pivots replaced";
  if (info.shift > 0) text += ", diagonal shifted by " + scientific(info.shift);
  return text;
}

FactorText describe(std::monostate, const SolveOptions&) { return {}; }
FactorText describe(const LdltFacts&, const SolveOptions&) { return {}; }  // has a text of its own

FactorText describe(const IluFacts& facts, const SolveOptions& options) {
  const IluSymbolicInfo& symbolic = facts.symbolic;
  std::string text = ", " + grouped(symbolic.factor_entries) + " entries" + describe_order(options);
  if (symbolic.colors > 0) text += " of " + grouped(symbolic.colors) + " colors";
  return {text + describe_pivots(facts.numeric), {std::string(to_string(symbolic.algorithm)) + ": " + symbolic.reason}};
}

FactorText describe(const IlutInfo& info, const SolveOptions& options) {
  const std::string text = ", " + grouped(info.factor_entries) + " entries" + describe_order(options) + ", " +
                           grouped(info.dropped_entries) + " dropped" + describe_pivots(info);
  return {text, {"rows wait for those that they turn out to need"}};
}

FactorText describe(const StructuredFactorInfo& info, const SolveOptions& options) {
  std::string text = ", relaxation " + fixed(options.preconditioner->level_of_fill()->relaxation, 3);
  if (info.shift > 0.0)
    text += ", shifted by " + scientific(info.shift) + " after a breakdown at cell " + to_string(*info.first_breakdown);
  return {text,
          {std::string(to_string(info.algorithm)) + ", " + grouped(info.dependent_steps) + " dependent steps (" +
           grouped(info.wavefronts) + " wavefronts of cells): " + info.reason}};
}

std::string describe_bad_blocks(const SchwarzInfo& info) {
  if (info.bad_blocks == 0) return "";
  return ", " + grouped(info.bad_blocks) + " bad blocks" +
         (info.diagonal_blocks > 0 ? " that divide by their diagonal" : "");
}

std::string describe_partition(const PartitionInfo& info) {
  std::string text = std::string(to_string(info.method)) + ": " + grouped(info.blocks) + " blocks of " +
                     grouped(info.smallest_block) + " to " + grouped(info.largest_block) + " rows";
  if (info.empty_blocks > 0) text += ", " + grouped(info.empty_blocks) + " empty";
  if (info.cut) text += ", " + grouped(*info.cut) + " edges cut";
  if (info.disconnected_blocks.value_or(0) > 0) text += ", " + grouped(*info.disconnected_blocks) + " in several parts";
  return text;
}

std::string describe_growth(const SubdomainInfo& info) {
  return "overlap " + std::to_string(info.overlap) + ": " + fixed(info.row_growth(), 2) + " times the rows, " +
         fixed(info.entry_growth(), 2) + " times the entries, blocks of " + grouped(info.smallest_block) + " to " +
         grouped(info.largest_block) + " rows";
}

FactorText describe(const SchwarzFacts& facts, const SolveOptions& options) {
  const SchwarzInfo& info = facts.factor;
  std::string text = std::string(" by ") + options.schwarz.block->word + ", " + to_string(*options.schwarz.variant) +
                     ", " + grouped(info.factor_entries) + " entries";
  if (options.schwarz.factor_precision == FactorPrecision::Single) text += " in single precision";
  text += describe_order(options) + describe_pivots(info) + describe_bad_blocks(info);
  return {text,
          {describe_partition(facts.partition), describe_growth(info.subdomains),
           std::string(to_string(info.algorithm)) +
               (info.levels > 0 ? ", " + grouped(info.levels) + " levels: " : ": ") + info.reason}};
}

void print_system(const SolveReport& report) {
  const std::string wind = report.wind ? ", wind " + fixed(*report.wind, 3) : "";
  print_line(report.grid ? "problem" : "matrix", report.name + wind + ", " + report.request.precision);
  print_line("size", (report.grid ? to_string(*report.grid) + ", " : "") + grouped(report.rows) + " unknowns, " +
                         grouped(report.entries) + " entries");
  if (report.grid)
    print_line("kept as", std::string(to_string(*report.request.solve.format)) + ": " + report.format_reason);
  print_line("backend", report.run.backend + ", concurrency " + grouped(report.run.threads));
}

void print_factor(const SolveReport& report) {
  const SolveOptions& options = report.request.solve;
  const auto describe_it = [&options](const auto& facts) { return describe(facts, options); };
  const FactorText text = std::visit(describe_it, report.run.factor);
  const Preconditioner& preconditioner = *options.preconditioner;
  if (preconditioner.exists())
    print_line("preconditioner", preconditioner.word + ", " + to_string(preconditioner.factorization) + text.what);
  else print_line("preconditioner", "none");
  for (const std::string& line : text.how) print_line("", line);
  if (report.run.bytes_held > 0) print_line("memory", bytes(report.run.bytes_held) + " beyond the matrix");
  for (const Phase& phase : report.run.phases)
    if (phase.name != "solve") print_line(phase.name.c_str(), milliseconds(phase.seconds) + " ms");
}

std::string describe_end(const KrylovResult& krylov) {
  return std::string(to_string(krylov.reason)) + " after " + grouped(krylov.iterations) + " iterations";
}

void print_iteration(const SolveReport& report) {
  const KrylovResult& decisive = report.run.krylov[report.decisive_column()];
  const double seconds = report.run.seconds("solve");
  std::string text =
      report.request.solve.solver->word + ": " + describe_end(decisive) + " in " + milliseconds(seconds) + " ms";
  if (decisive.iterations > 0) text += ", " + milliseconds(seconds / decisive.iterations) + " ms each";
  print_line("solver", text);
  for (std::size_t k = 0; report.columns > 1 && k < report.run.krylov.size(); ++k)
    print_line(("column " + std::to_string(k)).c_str(),
               describe_end(report.run.krylov[k]) + ", residual " + scientific(report.true_residuals[k]));
  print_line("residual", scientific(report.largest_residual()) + " of b - A x, " +
                             scientific(decisive.recursive_residual) + " by recursion (asked for " +
                             scientific(*report.request.solve.tolerance) + ")");
  std::fputs(convergence_picture(decisive.residuals, find_terminal().unicode).c_str(), stdout);
}

}  // namespace

void print_solve_text(const SolveReport& report) {
  print_system(report);
  if (report.direct() != nullptr) {
    print_direct_text(report);
    return;
  }
  print_factor(report);
  if (!report.run.krylov.empty()) print_iteration(report);
}

}  // namespace terrace::tools
