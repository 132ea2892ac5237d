// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A peer's Schwarz preconditioner, and GMRES(20) with it, as a method. Beside what GMRES needs, `Tools` has:
//
//     Tools(problem)
//     find_subdomains()   where it has that phase
//     analyze()           all that comes before the first application
//     refactorize()       new values
//     vector(numbers)   numbers(v)   precondition(v, w)   wait()   facts()
#pragma once

#include <optional>

#include "peers/textbook_gmres.hpp"
#include "schwarz/schwarz_problem.hpp"

namespace terrace::perf {

template <class Tools>
class SchwarzPeer final : public Method {
 public:
  explicit SchwarzPeer(const SchwarzProblem& problem)
      : problem_(problem), tools_(problem), r_(tools_.vector(problem.r())), z_(tools_.vector()) {}

  void run(Phase phase, int steps) override {
    if constexpr (requires { tools_.find_subdomains(); })
      if (phase == Phase::Subdomains) return tools_.find_subdomains();
    switch (phase) {
      case Phase::Factorize: return tools_.analyze();
      case Phase::Numeric: return tools_.refactorize();
      case Phase::Apply: return tools_.precondition(r_, z_);
      default: iterate(phase, steps);
    }
  }

  void wait() override { tools_.wait(); }

  std::vector<double> result(Phase phase) override {
    switch (phase) {
      case Phase::Apply: return tools_.numbers(z_);
      case Phase::Gmres:
      case Phase::Solve: return {outcome_.recursive, outcome_.computed};
      default: return {};
    }
  }

  Facts facts() const override {
    Facts facts = tools_.facts();
    facts.counters["steps"] = outcome_.steps;
    facts.counters["cycles"] = std::ceil(outcome_.steps / double(gmres_restart));
    return facts;
  }

 private:
  void iterate(Phase phase, int steps) {
    if (!gmres_) gmres_.emplace(tools_, gmres_restart);
    const bool is_solve = phase == Phase::Solve;
    outcome_ = gmres_->run(is_solve ? gmres_max_steps : steps, is_solve ? problem_.system().tolerance : 0.0);
  }

  const SchwarzProblem& problem_;
  Tools tools_;
  typename Tools::Vector r_, z_;
  std::optional<Gmres<Tools>> gmres_;
  typename Gmres<Tools>::Outcome outcome_;
};

}  // namespace terrace::perf
