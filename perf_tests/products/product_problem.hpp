// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One symmetric matrix that vectors are multiplied with.
#pragma once

#include "common/harness/case.hpp"
#include "matrices/symmetric_matrix.hpp"

namespace terrace::perf {

/// A method's result is the product with `x`, of several columns the last one, which the serial loop judges.
class ProductProblem final : public Problem {
 public:
  static constexpr int columns = 8;

  explicit ProductProblem(Rows matrix);

  Counters counters() const override { return {{"n", A.n}, {"nnz", double(A.nnz())}}; }
  double check(const std::string& algorithm, Phase phase, const std::vector<double>& y) override;
  Limit limit(Phase phase) const override;
  double bytes() const override;

  const Rows A;
  const std::vector<double> x;

 private:
  std::vector<double> expected_, scale_;  // A x and |A| |x|
};

}  // namespace terrace::perf
