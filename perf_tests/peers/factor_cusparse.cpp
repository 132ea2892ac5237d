// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's ILU(0) and IC(0) as methods: the analysis is the symbolic phase.
#include "incomplete/factor_method.hpp"
#include "peers/cusparse_factorization.hpp"

namespace terrace::perf {
namespace {

template <class Calls>
class CusparseFactor final : public FactorMethod {
 public:
  explicit CusparseFactor(const FullMatrix& A) : A_(A) {
    check(cusparseCreate(&handle_));
    factors_ = std::make_unique<CusparseFactorization<Calls>>(handle_, A_);
  }
  CusparseFactor(const CusparseFactor&) = delete;
  CusparseFactor& operator=(const CusparseFactor&) = delete;
  ~CusparseFactor() override {
    factors_.reset();
    cusparseDestroy(handle_);
  }

  void symbolic() override {
    factors_->analyze();
    check(cudaDeviceSynchronize());
  }
  void numeric() override {
    factors_->factorize();
    check(cudaDeviceSynchronize());
  }
  /// csric02 leaves one triangle.
  std::vector<double> merged() const override {
    return std::is_same_v<Calls, Ilu02> ? factors_->values() : std::vector<double>();
  }

 private:
  cusparseHandle_t handle_ = nullptr;
  DeviceRows A_;
  std::unique_ptr<CusparseFactorization<Calls>> factors_;
};

}  // namespace

std::unique_ptr<FactorMethod> make_cusparse_ilu0(const FullMatrix& A) {
  return std::make_unique<CusparseFactor<Ilu02>>(A);
}
std::unique_ptr<FactorMethod> make_cusparse_ic0(const FullMatrix& A) {
  return std::make_unique<CusparseFactor<Ic02>>(A);
}

}  // namespace terrace::perf
