// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve/explain_failure.hpp"

#include "support/format.hpp"

namespace terrace::tools {
namespace {

std::string explain_pivot(const IluInfo& info) {
  const auto row = info.first_bad_row();
  const std::string place = "row " + std::to_string(*row) + " (counted from 0) ";
  if (row == info.first_nonfinite_row && info.first_nonfinite_row != info.first_zero_pivot)
    return place + "of the factorization is not finite: the matrix holds a NaN or an Inf, or it overflows";
  const char* const kind = row == info.first_zero_pivot          ? "has a zero pivot"
                           : row == info.first_nonpositive_pivot ? "has a pivot that is not positive"
                                                                 : "has a tiny pivot";
  return place + kind + "; --pivots replace or --pivots shift goes on";
}

std::string explain_stop(const SolveReport& report, const KrylovResult& krylov) {
  const std::string after = "after " + grouped(krylov.iterations) + " iterations";
  switch (krylov.reason) {
    case StopReason::Converged: return {};
    case StopReason::IterationLimit: return "no convergence " + after + "; --max-iterations allows more";
    case StopReason::Breakdown:
    case StopReason::PreconditionerBreakdown:
      return report.request.solve.solver + " broke down " + after + "; try another --solver";
    case StopReason::Indefinite:
      return "cg found the matrix or the preconditioner not to be positive definite " + after +
             "; --solver gmres:30 or bicgstab needs neither";
    case StopReason::NotFinite: return "a NaN or an Inf came up " + after;
    case StopReason::Stagnation: return "the residual stopped falling " + after + "; try another --precond or --solver";
  }
  return {};
}

}  // namespace

void explain_failure(SolveReport& report) {
  if (!report.factor.succeeded()) {
    report.row = report.factor.first_bad_row();
    report.failure = explain_pivot(report.factor);
    return;
  }
  const std::size_t column = report.decisive_column();
  if (column_succeeded(report, column)) return;
  const std::string residual = "the residual is " + scientific(report.true_residuals[column]);
  const std::string why = explain_stop(report, report.krylov[column]);
  if (report.columns > 1) report.failure = "right-hand side " + std::to_string(column) + " (counted from 0): ";
  if (!why.empty()) report.failure += why + "; " + residual;
  else report.failure += residual + ", more than the tolerance of " + scientific(report.request.solve.krylov.tolerance);
}

}  // namespace terrace::tools
