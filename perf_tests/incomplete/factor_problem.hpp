// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One symmetric matrix that is factorized, and iterated with from zero for a right-hand side of ones.
#pragma once

#include "common/harness/case.hpp"
#include "matrices/symmetric_matrix.hpp"

namespace terrace::perf {

/// A method's result is its factor in one array, L (without its unit diagonal) and U row by row, what the factor makes
/// of r, or the norm of its residual. The first result of each algorithm and phase, that of the serial loop where there
/// is one, judges the others.
class FactorProblem final : public Problem {
 public:
  explicit FactorProblem(Rows matrix);

  Counters counters() const override { return {{"n", A.n}, {"nnz", double(A.nnz())}}; }
  double check(const std::string& algorithm, Phase phase, const std::vector<double>& result) override;

  const Rows A;
  const std::vector<double> r;

 private:
  std::map<std::pair<std::string, Phase>, std::vector<double>> expected_;
};

inline Entry factor_entry(const std::string& name, const std::string& algorithm, Entry::Make make) {
  return {name, algorithm, {Phase::Symbolic, Phase::Numeric}, std::move(make)};
}

/// Of a factor that is applied as well.
inline Entry applied_factor_entry(const std::string& name, const std::string& algorithm, Entry::Make make) {
  return {name, algorithm, {Phase::Symbolic, Phase::Numeric, Phase::Apply}, std::move(make)};
}

/// Of one whose beginning is timed as well.
inline Entry started_factor_entry(const std::string& name, const std::string& algorithm, Entry::Make make) {
  return {name, algorithm, {Phase::Symbolic, Phase::Numeric, Phase::Apply, Phase::Start}, std::move(make)};
}

/// All iterations of one phase find the same.
inline Entry iteration_entry(const std::string& name, Phase phase, Entry::Make make) {
  return {name, phase == Phase::BiCGStab ? "bicgstab" : "pcg", {phase}, std::move(make)};
}

}  // namespace terrace::perf
