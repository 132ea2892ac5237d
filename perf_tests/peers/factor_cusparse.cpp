// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's ILU(0) and IC(0), csrilu02 and csric02: the analysis is the symbolic phase; the numeric phase copies A's
// values and factorizes in place.
#include "incomplete/factor_method.hpp"
#include "peers/cusparse_objects.hpp"

namespace terrace::perf {
namespace {

constexpr cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;

/// The calls of csrilu02 and of csric02, which take the same arguments.
struct Ilu02 {
  using Info = csrilu02Info_t;
  static constexpr auto create = cusparseCreateCsrilu02Info;
  static constexpr auto destroy = cusparseDestroyCsrilu02Info;
  static constexpr auto buffer_size = cusparseDcsrilu02_bufferSize;
  static constexpr auto analysis = cusparseDcsrilu02_analysis;
  static constexpr auto factorize = cusparseDcsrilu02;
  static constexpr bool is_lu = true;
};
struct Ic02 {
  using Info = csric02Info_t;
  static constexpr auto create = cusparseCreateCsric02Info;
  static constexpr auto destroy = cusparseDestroyCsric02Info;
  static constexpr auto buffer_size = cusparseDcsric02_bufferSize;
  static constexpr auto analysis = cusparseDcsric02_analysis;
  static constexpr auto factorize = cusparseDcsric02;
  static constexpr bool is_lu = false;
};

template <class Calls>
class CusparseFactor final : public FactorMethod {
 public:
  explicit CusparseFactor(const FullMatrix& A) : A_(A), values_(A.nnz()) {
    check(cusparseCreate(&handle_));
    check(cusparseCreateMatDescr(&matrix_));
  }
  CusparseFactor(const CusparseFactor&) = delete;
  CusparseFactor& operator=(const CusparseFactor&) = delete;
  ~CusparseFactor() override {
    if (info_) Calls::destroy(info_);
    cusparseDestroyMatDescr(matrix_);
    cusparseDestroy(handle_);
  }

  void symbolic() override {
    if (info_) check(Calls::destroy(info_));
    check(Calls::create(&info_));
    copy_values();
    int bytes = 0;
    check(Calls::buffer_size(handle_, A_.n, A_.nnz, matrix_, values_.get(), A_.row_map.get(), A_.entries.get(), info_,
                             &bytes));
    buffer_ = std::make_unique<DeviceArray<char>>(static_cast<std::size_t>(bytes));
    check(Calls::analysis(handle_, A_.n, A_.nnz, matrix_, values_.get(), A_.row_map.get(), A_.entries.get(), info_,
                          policy, buffer_->get()));
    check(cudaDeviceSynchronize());
  }

  void numeric() override {
    copy_values();
    check(Calls::factorize(handle_, A_.n, A_.nnz, matrix_, values_.get(), A_.row_map.get(), A_.entries.get(), info_,
                           policy, buffer_->get()));
    check(cudaDeviceSynchronize());
  }

  std::vector<double> merged() const override {
    return Calls::is_lu ? values_.download(static_cast<std::size_t>(A_.nnz)) : std::vector<double>();
  }

 private:
  void copy_values() {
    check(cudaMemcpyAsync(values_.get(), A_.values.get(), static_cast<std::size_t>(A_.nnz) * sizeof(double),
                          cudaMemcpyDeviceToDevice));
  }

  cusparseHandle_t handle_ = nullptr;
  cusparseMatDescr_t matrix_ = nullptr;
  DeviceRows A_;
  DeviceArray<double> values_;
  typename Calls::Info info_ = nullptr;
  std::unique_ptr<DeviceArray<char>> buffer_;
};

}  // namespace

std::unique_ptr<FactorMethod> make_cusparse_ilu0(const FullMatrix& A) {
  return std::make_unique<CusparseFactor<Ilu02>>(A);
}
std::unique_ptr<FactorMethod> make_cusparse_ic0(const FullMatrix& A) {
  return std::make_unique<CusparseFactor<Ic02>>(A);
}

}  // namespace terrace::perf
