// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve/solve_report.hpp"

#include <algorithm>
#include <cmath>

namespace terrace::tools {

bool column_succeeded(const SolveReport& report, std::size_t column) {
  return report.krylov[column].converged() && report.true_residuals[column] <= report.request.solve.krylov.tolerance;
}

std::size_t SolveReport::decisive_column() const {
  std::size_t slowest = 0;
  for (std::size_t column = 0; column < krylov.size(); ++column) {
    if (!column_succeeded(*this, column)) return column;
    if (krylov[column].iterations > krylov[slowest].iterations) slowest = column;
  }
  return slowest;
}

double SolveReport::largest_residual() const {
  double largest = true_residuals.empty() ? std::nan("") : 0.0;
  for (const double residual : true_residuals) {
    if (std::isnan(residual)) return residual;  // which a maximum would forget
    largest = std::max(largest, residual);
  }
  return largest;
}

}  // namespace terrace::tools
