// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's ILU(0) and IC(0), whose analysis is the symbolic phase, and the textbook's iterations with SpSV for both
// triangles. The iterations take the factors of csrilu02: of a symmetric matrix its L U is the L L^T of csric02 with
// other scaling, and the loop costs the same.
#include <optional>

#include "peers/cusparse_factorization.hpp"
#include "peers/cusparse_tools.hpp"
#include "peers/iteration_method.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

class CusparseIlu final : public Method {
 public:
  explicit CusparseIlu(const FactorProblem& problem)
      : A_(problem.A), factors_(handles_.sparse, A_), r_(problem.r), half_(problem.r), z_(problem.r) {
    keep_freed_memory();
  }

  void run(Phase phase, int) override {
    if (phase == Phase::Symbolic) return factors_.analyze();
    if (phase == Phase::Numeric) return factors_.factorize();
    if (phase == Phase::Apply) return apply();
    solves_.reset();
    factors_.analyze();
    factors_.factorize();
    factors_.factorize();
    apply();
  }
  void wait() override { check(cudaDeviceSynchronize()); }

  std::vector<double> result(Phase phase) override {
    if (phase == Phase::Symbolic) return {};
    return phase == Phase::Numeric ? factors_.values() : z_.download(static_cast<std::size_t>(A_.n));
  }

 private:
  void apply() {
    if (!solves_) solves_.emplace(handles_.sparse, A_, factors_.get(), z_);
    solves_->solve(r_, half_, z_);
  }

  CusparseHandles handles_;
  DeviceRows A_;
  CusparseFactorization<Ilu02> factors_;
  DeviceVector r_, half_, z_;
  std::optional<FactorSolves> solves_;
};

/// Leaves one triangle, which is not compared.
class CusparseIc final : public Method {
 public:
  explicit CusparseIc(const FactorProblem& problem) : A_(problem.A), factors_(handles_.sparse, A_) {}

  void run(Phase phase, int) override { phase == Phase::Symbolic ? factors_.analyze() : factors_.factorize(); }
  void wait() override { check(cudaDeviceSynchronize()); }
  std::vector<double> result(Phase) override { return {}; }

 private:
  CusparseHandles handles_;
  DeviceRows A_;
  CusparseFactorization<Ic02> factors_;
};

class CusparseIluTools : public CusparseTools {
 public:
  explicit CusparseIluTools(const Rows& A)
      : CusparseTools(A, std::vector<double>(static_cast<std::size_t>(A.n), 1.0)),
        half_(vector()),
        solves_(handles_.sparse, factors(A), half_) {}

  void precondition(const DeviceVector& in, const DeviceVector& out) {
    solves_.lower.solve(in, half_);
    solves_.upper.solve(half_, out);
  }

 private:
  struct Solves {
    Solves(cusparseHandle_t handle, const Rows& LU, const DeviceVector& any)
        : lower(handle, LU, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT, any),
          upper(handle, LU, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT, any) {}
    Triangle lower, upper;
  };

  Rows factors(const Rows& A) {
    CusparseFactorization<Ilu02> factorization(handles_.sparse, A_);
    factorization.analyze();
    factorization.factorize();
    wait();
    return {A.n, A.row_map, A.entries, factorization.values()};
  }

  DeviceVector half_;
  Solves solves_;
};

}  // namespace

Entry cusparse_ilu0() { return started_factor_entry("csrilu02", "ilu0", make_on<FactorProblem, CusparseIlu>()); }

Entry cusparse_ic0() { return factor_entry("csric02", "ic0", make_on<FactorProblem, CusparseIc>()); }

Entry cusparse_iteration(Phase phase) {
  return iteration_entry(phase == Phase::BiCGStab ? "bicgstab_cusparse" : "pcg_cusparse", phase,
                         make_iteration<CusparseIluTools>(phase));
}

}  // namespace terrace::perf
