// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terrace's incomplete factorizations and its iterations with them as methods.
#pragma once

#include <terrace/terrace.hpp>

#include "harness/upload.hpp"
#include "incomplete/factor_problem.hpp"

namespace terrace::perf {

template <class Space>
class TerraceFactor final : public Method {
 public:
  /// `op` is what is applied.
  TerraceFactor(const FactorProblem& problem, const IluSymbolicOptions& symbolic, const IluFactorOptions& numeric,
                Op op)
      : A_(upload_matrix<Space>(problem.A)),
        r_(upload<Space>(problem.r)),
        z_("z", problem.A.n),
        options_(symbolic),
        factor_options_(numeric),
        op_(op) {}

  void run(Phase phase, int) override {
    if (phase == Phase::Apply) return factor_->apply(space_, r_, z_, op_);
    if (phase == Phase::Symbolic) return analyze();
    if (phase == Phase::Numeric) return factorize();
    analyze();
    factorize();
    factorize();
    factor_->apply(space_, r_, z_, op_);
  }

  void wait() override { space_.fence("terrace::perf::TerraceFactor"); }

  std::vector<double> result(Phase phase) override {
    if (phase == Phase::Apply || phase == Phase::Start) return download(z_);
    const bool is_ilu0 =
        options_.factorization == Factorization::Lu && options_.fill_level == 0 && factor_options_.relaxation == 0.0;
    return phase == Phase::Numeric && is_ilu0 ? download(factor_->values()) : std::vector<double>();
  }

 private:
  void analyze() {
    factor_.reset();
    symbolic_.emplace(space_, A_, options_);
  }
  void factorize() {
    if (factor_) factor_->refactorize(space_, A_.values);
    else factor_.emplace(space_, *symbolic_, A_.values, factor_options_);
  }

  Space space_;
  MatrixOn<Space> A_;
  Kokkos::View<double*, DeviceOf<Space>> r_, z_;
  IluSymbolicOptions options_;
  IluFactorOptions factor_options_;
  Op op_;
  std::optional<IluSymbolic<int, int, Space>> symbolic_;
  std::optional<IluFactor<double, int, int, Space>> factor_;
};

/// The numeric phase makes the pattern as well, and analyzes the solves with it; the symbolic one does nothing.
template <class Space>
class TerraceThresholds final : public Method {
 public:
  TerraceThresholds(const FactorProblem& problem, const IlutOptions& options)
      : A_(upload_matrix<Space>(problem.A)), options_(options) {}

  void run(Phase phase, int) override {
    if (phase == Phase::Symbolic) return;
    if (factor_) factor_->refactorize(space_, A_.values);
    else factor_.emplace(space_, A_, options_);
  }

  void wait() override { space_.fence("terrace::perf::TerraceThresholds"); }

  std::vector<double> result(Phase phase) override {
    return phase == Phase::Numeric && options_.factorization == Factorization::Lu ? download(factor_->values())
                                                                                  : std::vector<double>();
  }

 private:
  Space space_;
  MatrixOn<Space> A_;
  IlutOptions options_;
  std::optional<IlutFactor<double, int, int, Space>> factor_;
};

/// Conjugate gradients with IC(0), or BiCGStab with ILU(0).
template <class Space>
class TerraceIteration final : public Method {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, DeviceOf<Space>>;

 public:
  /// `columns` right-hand sides at once, all alike.
  TerraceIteration(const FactorProblem& problem, Phase phase, int columns)
      : A_(Space(), upload_matrix<Space>(problem.A)),
        factor_(space_, IluSymbolic(space_, A_.matrix(), {.factorization = factorization(phase)}), A_.matrix().values,
                {.right_hand_sides = columns}),
        method_(phase == Phase::BiCGStab ? KrylovMethod::BiCGStab : KrylovMethod::ConjugateGradient),
        b_("b", problem.A.n, columns),
        x_("x", problem.A.n, columns) {
    Kokkos::deep_copy(b_, 1.0);
  }

  void run(Phase, int steps) override {
    if (!solver_ || solver_->options().max_iterations != steps)
      solver_.emplace(
          space_, b_.extent(0),
          KrylovOptions{
              .method = method_, .tolerance = 0, .max_iterations = steps, .check_every = steps, .replay = true});
    Kokkos::deep_copy(space_, x_, 0.0);
    const auto results = solver_->solve(space_, A_, b_, x_, factor_);
    for (const KrylovResult& result : results) {
      if (result.iterations != steps) throw std::runtime_error("the iteration ended early");
      if (!(std::abs(result.recursive_residual / results.front().recursive_residual - 1) < 1e-6))
        throw std::runtime_error("the columns differ");
    }
    residual_ = results.front().recursive_residual * std::sqrt(double(b_.extent(0)));
  }

  std::vector<double> result(Phase) override { return {residual_}; }

 private:
  static Factorization factorization(Phase phase) {
    return phase == Phase::BiCGStab ? Factorization::Lu : Factorization::Cholesky;
  }

  Space space_;
  CrsOperator<double, int, int, Space> A_;
  IluFactor<double, int, int, Space> factor_;
  KrylovMethod method_;
  Vectors b_, x_;
  std::optional<KrylovSolver<double, Space>> solver_;
  double residual_ = 0.0;
};

}  // namespace terrace::perf
