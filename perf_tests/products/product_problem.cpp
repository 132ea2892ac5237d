// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/product_problem.hpp"

#include <cmath>
#include <limits>

#include "matrices/right_hand_side.hpp"

namespace terrace::perf {

ProductProblem::ProductProblem(Rows matrix)
    : A(std::move(matrix)),
      x(make_right_hand_side(static_cast<std::size_t>(A.n))),
      expected_(x.size(), 0.0),
      scale_(x.size(), 0.0) {
  for (int row = 0; row < A.n; ++row)
    for (int k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      expected_[row] += A.values[k] * x[A.entries[k]];
      scale_[row] += std::abs(A.values[k] * x[A.entries[k]]);
    }
}

double ProductProblem::check(const std::string&, Phase, const std::vector<double>& y) {
  if (y.size() != x.size()) throw std::runtime_error("the product has another length than the vector");
  double worst = 0.0;
  for (std::size_t row = 0; row < y.size(); ++row) {
    const double difference = std::abs(y[row] - expected_[row]);
    const double error = difference == 0.0 ? 0.0 : difference / scale_[row];
    if (!(error <= worst)) worst = error;
    if (std::isnan(worst)) break;
  }
  if (!(worst <= 1e-12)) throw std::runtime_error("wrong product: error " + std::to_string(worst));
  return worst;
}

double ProductProblem::bytes() const {
  return static_cast<double>(A.nnz()) * (sizeof(double) + sizeof(int)) + (A.n + 1.0) * sizeof(int);
}

Limit ProductProblem::limit(Phase phase) const {
  if (phase == Phase::Analysis) return {};
  return {bytes() + 2.0 * sizeof(double) * A.n * (phase == Phase::ApplyEight ? columns : 1), 0.0};
}

}  // namespace terrace::perf
