// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an iteration written with cuSPARSE and cuBLAS is made of: SpMV, dot, axpy, scal, copy; scalars on the host.
#pragma once

#include "peers/cusparse_objects.hpp"

namespace terrace::perf {

struct CusparseHandles {
  CusparseHandles() {
    check(cusparseCreate(&sparse));
    check(cublasCreate(&dense));
  }
  CusparseHandles(const CusparseHandles&) = delete;
  CusparseHandles& operator=(const CusparseHandles&) = delete;
  ~CusparseHandles() {
    cublasDestroy(dense);
    cusparseDestroy(sparse);
  }
  cusparseHandle_t sparse = nullptr;
  cublasHandle_t dense = nullptr;
};

/// The product with one matrix, and operations on vectors of its length.
class IterationTools {
 public:
  template <class Matrix>
  IterationTools(const CusparseHandles& handles, const Matrix& A)
      : handles_(handles), A_(A), any_(std::vector<double>(static_cast<std::size_t>(A_.n))) {
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handles_.sparse, plain, &one, A_.description, any_.description, &zero,
                                  any_.description, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    buffer_ = std::make_unique<DeviceArray<char>>(bytes);
  }

  const DeviceRows& A() const { return A_; }
  std::size_t rows() const { return static_cast<std::size_t>(A_.n); }

  void clear(const DeviceVector& vector) const { check(cudaMemsetAsync(vector.get(), 0, rows() * sizeof(double))); }
  void copy(const DeviceVector& from, const DeviceVector& to) const {
    check(cublasDcopy(handles_.dense, A_.n, from.get(), 1, to.get(), 1));
  }
  double dot(const DeviceVector& a, const DeviceVector& b) const {
    double sum = 0.0;
    check(cublasDdot(handles_.dense, A_.n, a.get(), 1, b.get(), 1, &sum));
    return sum;
  }
  void add(double factor, const DeviceVector& a, const DeviceVector& to) const {
    check(cublasDaxpy(handles_.dense, A_.n, &factor, a.get(), 1, to.get(), 1));
  }
  void scale(double factor, const DeviceVector& to) const {
    check(cublasDscal(handles_.dense, A_.n, &factor, to.get(), 1));
  }
  void multiply(const DeviceVector& in, const DeviceVector& out) const {
    check(cusparseSpMV(handles_.sparse, plain, &one, A_.description, in.description, &zero, out.description, CUDA_R_64F,
                       CUSPARSE_SPMV_ALG_DEFAULT, buffer_->get()));
  }

 private:
  const CusparseHandles& handles_;
  DeviceRows A_;
  DeviceVector any_;
  std::unique_ptr<DeviceArray<char>> buffer_;
};

}  // namespace terrace::perf
