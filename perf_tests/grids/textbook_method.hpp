// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The textbook's conjugate gradients on a grid's system, and the parts of them, from single operations. `Tools` is made
// of a GridSystem and has, beside the operations of peers/textbook_iterations.hpp, b(), numbers(v) on the host, wait(),
// label(), and perhaps factorize().
#pragma once

#include "grids/grid_system.hpp"
#include "peers/textbook_iterations.hpp"

namespace terrace::perf {

template <class Tools>
class TextbookMethod final : public Method {
 public:
  explicit TextbookMethod(const GridProblem& problem)
      : tools_(problem.system), iteration_(tools_), z_(tools_.vector()), q_(tools_.vector()) {}

  static std::vector<Phase> phases() {
    std::vector<Phase> phases{Phase::Apply, Phase::Multiply, Phase::ConjugateGradients};
    if (can_factorize) phases.insert(phases.begin(), Phase::Numeric);
    return phases;
  }

  void run(Phase phase, int steps) override {
    if constexpr (can_factorize)
      if (phase == Phase::Numeric) tools_.factorize();
    if (phase == Phase::Apply) tools_.precondition(tools_.b(), z_);
    if (phase == Phase::Multiply) tools_.multiply(tools_.b(), q_);
    if (phase == Phase::ConjugateGradients) iteration_.run(steps);
  }

  void wait() override { tools_.wait(); }

  std::vector<double> result(Phase phase) override {
    if (phase == Phase::Numeric) return {};
    return tools_.numbers(phase == Phase::Apply ? z_ : phase == Phase::Multiply ? q_ : iteration_.solution());
  }

  Facts facts() const override { return {tools_.label()}; }

 private:
  static constexpr bool can_factorize = requires(Tools & tools) { tools.factorize(); };

  Tools tools_;
  ConjugateGradients<Tools> iteration_;
  typename Tools::Vector z_, q_;
};

template <class Tools>
Entry textbook_entry(const std::string& name) {
  return {name, "", TextbookMethod<Tools>::phases(), make_on<GridProblem, TextbookMethod<Tools>>()};
}

}  // namespace terrace::perf
