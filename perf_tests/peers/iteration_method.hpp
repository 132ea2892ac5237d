// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A textbook's iteration with a peer's operations, as a method of the incomplete factorizations.
#pragma once

#include "incomplete/factor_problem.hpp"
#include "peers/textbook_iterations.hpp"

namespace terrace::perf {

template <class Tools, template <class> class Iteration>
class IterationMethod final : public Method {
 public:
  explicit IterationMethod(const FactorProblem& problem) : tools_(problem.A), iteration_(tools_) {}

  void run(Phase, int steps) override { residual_ = iteration_.run(steps); }
  void wait() override { tools_.wait(); }
  std::vector<double> result(Phase) override { return {residual_}; }

 private:
  Tools tools_;
  Iteration<Tools> iteration_;
  double residual_ = 0.0;
};

template <class Tools>
Entry::Make make_iteration(Phase phase) {
  return phase == Phase::BiCGStab ? make_on<FactorProblem, IterationMethod<Tools, BiCGStab>>()
                                  : make_on<FactorProblem, IterationMethod<Tools, ConjugateGradients>>();
}

}  // namespace terrace::perf
