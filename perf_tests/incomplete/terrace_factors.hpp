// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terrace's incomplete factorizations and its iterations with them behind the interfaces of the peers.
#pragma once

#include <terrace/terrace.hpp>

#include "incomplete/device_matrix.hpp"
#include "incomplete/factor_method.hpp"

namespace terrace::perf {

template <class Space>
class TerraceFactor final : public FactorMethod {
 public:
  TerraceFactor(const FullMatrix& A, const IluSymbolicOptions& options)
      : A_(upload_matrix<Space>(A)), options_(options) {}

  void symbolic() override {
    factor_.reset();
    symbolic_.emplace(space_, A_, options_);
    space_.fence("terrace::perf::symbolic");
  }

  void numeric() override {
    if (factor_) factor_->refactorize(space_, A_.values);
    else factor_.emplace(space_, *symbolic_, A_.values);
    space_.fence("terrace::perf::numeric");
  }

  std::vector<double> merged() const override {
    return options_.factorization == Factorization::Lu && options_.fill_level == 0 ? download(factor_->values())
                                                                                   : std::vector<double>();
  }

 private:
  Space space_;
  MatrixOn<Space> A_;
  IluSymbolicOptions options_;
  std::optional<IluSymbolic<int, int, Space>> symbolic_;
  std::optional<IluFactor<double, int, int, Space>> factor_;
};

/// The numeric phase makes the pattern as well, and analyses the solves with it.
template <class Space>
class TerraceThresholds final : public FactorMethod {
 public:
  TerraceThresholds(const FullMatrix& A, const IlutOptions& options) : A_(upload_matrix<Space>(A)), options_(options) {}

  void symbolic() override {}

  void numeric() override {
    if (factor_) factor_->refactorize(space_, A_.values);
    else factor_.emplace(space_, A_, options_);
  }

  std::vector<double> merged() const override {
    return options_.factorization == Factorization::Lu ? download(factor_->values()) : std::vector<double>();
  }

 private:
  Space space_;
  MatrixOn<Space> A_;
  IlutOptions options_;
  std::optional<IlutFactor<double, int, int, Space>> factor_;
};

template <class Space>
class TerraceIteration final : public IterationMethod {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::Device<Space, typename Space::memory_space>>;

 public:
  /// `columns` right-hand sides at once, all alike.
  TerraceIteration(const FullMatrix& A, Factorization factorization, KrylovMethod method, int columns)
      : A_(upload_matrix<Space>(A)),
        factor_(space_, IluSymbolic(space_, A_.matrix(), {.factorization = factorization}), A_.matrix().values,
                {.right_hand_sides = columns}),
        method_(method),
        b_("b", A.n, columns),
        x_("x", A.n, columns) {
    Kokkos::deep_copy(b_, 1.0);
  }

  double iterate(int iterations) override {
    if (!solver_ || solver_->options().max_iterations != iterations)
      solver_.emplace(
          space_, b_.extent(0),
          KrylovOptions{.method = method_, .tolerance = 0, .max_iterations = iterations, .check_every = iterations});
    Kokkos::deep_copy(space_, x_, 0.0);
    const auto results = solver_->solve(space_, A_, b_, x_, factor_);
    for (const KrylovResult& result : results) {
      if (result.iterations != iterations) throw std::runtime_error("the iteration ended early");
      if (!(std::abs(result.recursive_residual / results.front().recursive_residual - 1) < 1e-6))
        throw std::runtime_error("the columns differ");
    }
    return results.front().recursive_residual * std::sqrt(double(b_.extent(0)));
  }

 private:
  Space space_;
  CrsOperator<double, int, int, Space> A_;
  IluFactor<double, int, int, Space> factor_;
  KrylovMethod method_;
  Vectors b_, x_;
  std::optional<KrylovSolver<double, Space>> solver_;
};

}  // namespace terrace::perf
