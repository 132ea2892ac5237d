// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's ILU(0) and IC(0), whose analysis is the symbolic phase, and the textbook's iterations with SpSV for both
// triangles. The iterations take the factors of csrilu02: of a symmetric matrix its L U is the L L^T of csric02 with
// other scaling, and the loop costs the same.
#include "peers/cusparse_factorization.hpp"
#include "peers/cusparse_tools.hpp"
#include "peers/iteration_method.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

template <class Calls>
class CusparseFactor final : public Method {
 public:
  explicit CusparseFactor(const FactorProblem& problem) : A_(problem.A), factors_(handles_.sparse, A_) {}

  void run(Phase phase, int) override { phase == Phase::Symbolic ? factors_.analyze() : factors_.factorize(); }
  void wait() override { check(cudaDeviceSynchronize()); }

  /// csric02 leaves one triangle.
  std::vector<double> result(Phase phase) override {
    return phase == Phase::Numeric && std::is_same_v<Calls, Ilu02> ? factors_.values() : std::vector<double>();
  }

 private:
  CusparseHandles handles_;
  DeviceRows A_;
  CusparseFactorization<Calls> factors_;
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

Entry cusparse_ilu0() { return factor_entry("csrilu02", "ilu0", make_on<FactorProblem, CusparseFactor<Ilu02>>()); }

Entry cusparse_ic0() { return factor_entry("csric02", "ic0", make_on<FactorProblem, CusparseFactor<Ic02>>()); }

Entry cusparse_iteration(Phase phase) {
  return iteration_entry(phase == Phase::BiCGStab ? "bicgstab_cusparse" : "pcg_cusparse", phase,
                         make_iteration<CusparseIluTools>(phase));
}

}  // namespace terrace::perf
