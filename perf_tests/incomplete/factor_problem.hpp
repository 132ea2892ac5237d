// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One symmetric matrix that is factorized, and iterated with from zero for a right-hand side of ones.
#pragma once

#include "harness/case.hpp"
#include "matrices/symmetric_matrix.hpp"

namespace terrace::perf {

/// A method's result is its factor in one array, L (without its unit diagonal) and U row by row, or the norm of its
/// residual. The first result of each algorithm, that of the serial loop, judges the others.
class FactorProblem final : public Problem {
 public:
  explicit FactorProblem(Rows matrix) : A(std::move(matrix)) {}

  Counters counters() const override { return {{"n", A.n}, {"nnz", double(A.nnz())}}; }
  double check(const std::string& algorithm, Phase phase, const std::vector<double>& result) override;

  const Rows A;

 private:
  std::map<std::string, std::vector<double>> expected_;
};

inline Entry factor_entry(const std::string& name, const std::string& algorithm, Entry::Make make) {
  return {name, algorithm, {Phase::Symbolic, Phase::Numeric}, std::move(make)};
}

/// All iterations of one phase find the same.
inline Entry iteration_entry(const std::string& name, Phase phase, Entry::Make make) {
  return {name, phase == Phase::BiCGStab ? "bicgstab" : "pcg", {phase}, std::move(make)};
}

}  // namespace terrace::perf
