// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A peer's direct solver as a method. `Solver` has:
//
//     Solver(problem, threads...)   throws LeftOut for numbers that it does not have
//     forget()   what analyze() made, where that takes time; not timed
//     analyze()   factorize()   refactorize()
//     set_columns(columns)      makes right-hand sides, and a solution that is zero; not timed
//     solve()   wait()   solution()   facts()
#pragma once

#include "direct/direct_problem.hpp"

namespace terrace::perf {

template <class Solver, class Number>
class DirectPeer final : public Method {
 public:
  template <class... Arguments>
  explicit DirectPeer(const DirectProblem<Number>& problem, const Arguments&... arguments)
      : n_(static_cast<std::size_t>(problem.A().n)), solver_(problem, arguments...) {}

  void prepare(Phase phase) override {
    columns_ = columns_of_solve(phase);
    if (columns_ > 0) solver_.set_columns(columns_);
    if constexpr (requires { solver_.forget(); })
      if (phase == Phase::Analysis) solver_.forget();
  }

  void run(Phase phase, int) override {
    switch (phase) {
      case Phase::Analysis: return solver_.analyze();
      case Phase::Factorize: return solver_.factorize();
      case Phase::Numeric: return solver_.refactorize();
      default: solver_.solve();
    }
  }

  void wait() override { solver_.wait(); }

  std::vector<double> result(Phase) override {
    if (columns_ == 0) return {};
    const auto& x = solver_.solution();
    return flatten_checked(x.data(), n_, columns_);
  }

  Facts facts() const override { return solver_.facts(); }

 private:
  std::size_t n_;
  int columns_ = 0;
  Solver solver_;
};

/// What solvers on the host share: the problem, and a solution.
template <class Number>
class HostDirectSolver {
 public:
  explicit HostDirectSolver(const DirectProblem<Number>& problem) : problem_(problem) {}

  void set_columns(int columns) {
    columns_ = columns;
    x_.assign(static_cast<std::size_t>(problem_.A().n) * columns, Number(0));
  }
  void wait() const {}
  const std::vector<Number>& solution() const { return x_; }

 protected:
  const SymmetricRows<Number>& A() const { return problem_.A(); }
  const std::vector<Number>& B() const { return problem_.B(); }
  std::size_t rows() const { return static_cast<std::size_t>(A().n); }

  int columns_ = 0;
  std::vector<Number> x_;

 private:
  const DirectProblem<Number>& problem_;
};

}  // namespace terrace::perf
