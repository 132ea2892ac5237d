// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a solve's report says of its columns.
#include <algorithm>
#include <cmath>

#include "solve/solve.hpp"

namespace terrace::tools {

double RunFacts::seconds(const std::string& phase) const {
  for (const Phase& each : phases)
    if (each.name == phase) return each.seconds;
  return std::nan("");
}

bool SolveReport::succeeded(std::size_t column) const {
  return run.krylov[column].converged() && true_residuals[column] <= *request.solve.tolerance;
}

std::size_t SolveReport::decisive_column() const {
  std::size_t slowest = 0;
  for (std::size_t column = 0; column < run.krylov.size(); ++column) {
    if (!succeeded(column)) return column;
    if (run.krylov[column].iterations > run.krylov[slowest].iterations) slowest = column;
  }
  return slowest;
}

std::size_t SolveReport::worst_column() const {
  const auto& refined = direct()->refined;
  std::size_t worst = 0;
  for (std::size_t column = 0; column < refined.size(); ++column) {
    if (std::isnan(refined[column].backward_error)) return column;
    if (refined[column].backward_error > refined[worst].backward_error) worst = column;
  }
  return worst;
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
