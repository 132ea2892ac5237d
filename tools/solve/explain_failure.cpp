// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why there is no solution, and what the user may try instead.
#include "report/format.hpp"
#include "solve/solve.hpp"

namespace terrace::tools {
namespace {

using Failure = std::optional<FactorFailure>;

Failure failure_of(std::monostate) { return std::nullopt; }

Failure failure_of(const IluInfo& info) {
  if (info.succeeded()) return std::nullopt;
  const auto row = info.first_bad_row();
  const std::string place = "row " + std::to_string(*row) + " (counted from 0) ";
  if (row == info.first_nonfinite_row && info.first_nonfinite_row != info.first_zero_pivot)
    return FactorFailure{
        *row, place + "of the factorization is not finite: the matrix holds a NaN or an Inf, or it overflows"};
  const char* const kind = row == info.first_zero_pivot          ? "has a zero pivot"
                           : row == info.first_nonpositive_pivot ? "has a pivot that is not positive"
                                                                 : "has a tiny pivot";
  return FactorFailure{*row, place + kind + "; --pivots replace or --pivots shift goes on"};
}

Failure failure_of(const IluFacts& facts) { return failure_of(facts.numeric); }

Failure failure_of(const SchwarzFacts& facts) {
  const SchwarzInfo& info = facts.factor;
  if (info.succeeded()) return std::nullopt;
  Failure failure = failure_of(static_cast<const IluInfo&>(info));
  if (!failure) failure = FactorFailure{std::nullopt, "a block could not be factorized"};
  failure->message += "; --bad-blocks diagonal goes on without what is bad (" + grouped(info.bad_blocks) + " of " +
                      grouped(facts.partition.blocks) + " blocks";
  if (info.first_bad_block) failure->message += ", block " + std::to_string(*info.first_bad_block) + " first";
  failure->message += ")";
  return failure;
}

Failure failure_of(const StructuredFactorInfo& info) {
  if (!info.breakdown) return std::nullopt;
  const std::string advice = info.attempts > 1 ? "" : "; --pivots shift goes on";
  return FactorFailure{info.grid.index(*info.breakdown), "the factorization broke down at cell " +
                                                             to_string(*info.breakdown) + " after " +
                                                             grouped(info.attempts) + " attempts" + advice};
}

Failure failure_of(const LdltFacts& facts) {
  const LdltInfo& info = facts.numeric;
  if (info.succeeded()) return std::nullopt;
  const auto place = [](std::int64_t row) { return "row " + std::to_string(row) + " (counted from 0) "; };
  if (info.first_nonfinite_row)
    return FactorFailure{*info.first_nonfinite_row,
                         place(*info.first_nonfinite_row) +
                             "of the factorization is not finite: the matrix holds a NaN or an Inf, or it overflows, "
                             "which --scaling equilibrate may prevent"};
  const std::int64_t row = info.first_zero_pivot.value_or(0);
  return FactorFailure{row, place(row) + "has a zero pivot; --pivots replace goes on"};
}

/// What the backward error says of a solution that --direct refined, and what may help.
std::string explain_refinement(const SolveReport& report) {
  const LdltFacts& facts = *report.direct();
  const RefinedColumn& column = facts.refined[report.worst_column()];
  if (column.reason == StopReason::Converged) return {};
  std::string text = "the backward error is " + scientific(column.backward_error) + " after " + grouped(column.steps) +
                     " steps of refinement, more than the --tolerance of " +
                     scientific(*report.request.solve.tolerance);
  const std::int64_t replaced = facts.numeric.replaced_pivots;
  if (replaced > 0)
    text += "; " + grouped(replaced) + " pivots were replaced: pivots are static, and this matrix may need others";
  if (column.reason == StopReason::IterationLimit) return text + "; --refine-steps allows more";
  if (report.request.solve.schwarz.factor_precision == FactorPrecision::Single)
    return text + "; --factor-precision same is more accurate";
  return text + "; try --scaling equilibrate, or --precond ilut:20,1e-4 --solver gmres:50";
}

std::string explain_stop(const SolveReport& report, const KrylovResult& krylov) {
  const std::string after = "after " + grouped(krylov.iterations) + " iterations";
  switch (krylov.reason) {
    case StopReason::Converged: return {};
    case StopReason::IterationLimit: return "no convergence " + after + "; --max-iterations allows more";
    case StopReason::Breakdown:
    case StopReason::PreconditionerBreakdown:
      return report.request.solve.solver->word + " broke down " + after + "; try another --solver";
    case StopReason::Indefinite:
      return "cg found the matrix or the preconditioner not to be positive definite " + after +
             "; --solver gmres:30 or bicgstab needs neither";
    case StopReason::NotFinite: return "a NaN or an Inf came up " + after;
    case StopReason::Stagnation: return "the residual stopped falling " + after + "; try another --precond or --solver";
  }
  return {};
}

}  // namespace

Failure find_failure(const FactorFacts& factor) {
  return std::visit([](const auto& facts) { return failure_of(facts); }, factor);
}

void explain_failure(SolveReport& report) {
  if (const auto failure = find_failure(report.run.factor)) {
    report.row = failure->row;
    report.failure = failure->message;
    return;
  }
  if (report.direct() != nullptr) {
    report.failure = report.direct()->refined.empty() ? "" : explain_refinement(report);
    if (!report.failure.empty() && report.columns > 1)
      report.failure =
          "right-hand side " + std::to_string(report.worst_column()) + " (counted from 0): " + report.failure;
    return;
  }
  const std::size_t column = report.decisive_column();
  if (report.succeeded(column)) return;
  const std::string residual = "the residual is " + scientific(report.true_residuals[column]);
  const std::string why = explain_stop(report, report.run.krylov[column]);
  if (report.columns > 1) report.failure = "right-hand side " + std::to_string(column) + " (counted from 0): ";
  if (!why.empty()) report.failure += why + "; " + residual;
  else report.failure += residual + ", more than the --tolerance of " + scientific(*report.request.solve.tolerance);
}

}  // namespace terrace::tools
