// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's ILU(0) and IC(0), csrilu02 and csric02, by levels, on the default stream.
#pragma once

#include "peers/cusparse_objects.hpp"

namespace terrace::perf {

/// The calls of csrilu02 and of csric02, which take the same arguments.
struct Ilu02 {
  using Info = csrilu02Info_t;
  static constexpr auto create = cusparseCreateCsrilu02Info;
  static constexpr auto destroy = cusparseDestroyCsrilu02Info;
  static constexpr auto buffer_size = cusparseDcsrilu02_bufferSize;
  static constexpr auto analysis = cusparseDcsrilu02_analysis;
  static constexpr auto factorize = cusparseDcsrilu02;
};
struct Ic02 {
  using Info = csric02Info_t;
  static constexpr auto create = cusparseCreateCsric02Info;
  static constexpr auto destroy = cusparseDestroyCsric02Info;
  static constexpr auto buffer_size = cusparseDcsric02_bufferSize;
  static constexpr auto analysis = cusparseDcsric02_analysis;
  static constexpr auto factorize = cusparseDcsric02;
};

/// Factors of A, which must outlive them. Both steps begin with A's values, since the numeric one works in place.
template <class Calls>
class CusparseFactorization {
 public:
  CusparseFactorization(cusparseHandle_t handle, const DeviceRows& A)
      : handle_(handle), A_(A), values_(static_cast<std::size_t>(A.nnz)) {
    check(cusparseCreateMatDescr(&matrix_));
  }
  CusparseFactorization(const CusparseFactorization&) = delete;
  CusparseFactorization& operator=(const CusparseFactorization&) = delete;
  ~CusparseFactorization() {
    if (info_) Calls::destroy(info_);
    cusparseDestroyMatDescr(matrix_);
  }

  void analyze() {
    if (info_) check(Calls::destroy(info_));
    check(Calls::create(&info_));
    copy_values();
    int bytes = 0;
    check(Calls::buffer_size(handle_, A_.n, A_.nnz, matrix_, values_.get(), A_.row_map.get(), A_.entries.get(), info_,
                             &bytes));
    buffer_ = std::make_unique<DeviceArray<char>>(static_cast<std::size_t>(bytes));
    run(Calls::analysis);
  }

  void factorize() {
    copy_values();
    run(Calls::factorize);
  }

  double* get() const { return values_.get(); }  ///< on the device
  std::vector<double> values() const { return values_.download(static_cast<std::size_t>(A_.nnz)); }

 private:
  void copy_values() {
    check(cudaMemcpyAsync(values_.get(), A_.values.get(), static_cast<std::size_t>(A_.nnz) * sizeof(double),
                          cudaMemcpyDeviceToDevice));
  }

  template <class Call>
  void run(const Call& call) {
    check(call(handle_, A_.n, A_.nnz, matrix_, values_.get(), A_.row_map.get(), A_.entries.get(), info_,
               CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer_->get()));
  }

  cusparseHandle_t handle_;
  const DeviceRows& A_;
  DeviceArray<double> values_;
  cusparseMatDescr_t matrix_ = nullptr;
  typename Calls::Info info_ = nullptr;
  std::unique_ptr<DeviceArray<char>> buffer_;
};

}  // namespace terrace::perf
