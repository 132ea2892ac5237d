// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the textbook's iterations as one writes them with cuSPARSE and cuBLAS: SpMV, dot, axpy, scal, copy;
// on the default stream, scalars on the host.
#pragma once

#include <cmath>

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

/// All but the preconditioner.
class CusparseTools {
 public:
  using Vector = DeviceVector;

  CusparseTools(const Rows& A, const std::vector<double>& b) : A_(A), b_(b) {
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handles_.sparse, plain, &one, A_.description.get, b_.description.get, &zero,
                                  b_.description.get, real, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    buffer_ = std::make_unique<DeviceArray<char>>(bytes);
  }

  const Vector& b() const { return b_; }
  std::vector<double> numbers(const Vector& v) const { return v.download(rows()); }
  void wait() const { check(cudaDeviceSynchronize()); }

  Vector vector() const { return Vector(std::vector<double>(rows(), 0.0)); }
  void clear(const Vector& v) const { check(cudaMemsetAsync(v.get(), 0, rows() * sizeof(double))); }
  void start(const Vector& r) const { copy(b_, r); }
  void copy(const Vector& v, const Vector& w) const {
    check(cublasDcopy(handles_.dense, A_.n, v.get(), 1, w.get(), 1));
  }
  double dot(const Vector& v, const Vector& w) const {
    double sum = 0.0;
    check(cublasDdot(handles_.dense, A_.n, v.get(), 1, w.get(), 1, &sum));
    return sum;
  }
  void add(double a, const Vector& v, const Vector& w) const {
    check(cublasDaxpy(handles_.dense, A_.n, &a, v.get(), 1, w.get(), 1));
  }
  void add_to_scaled(const Vector& v, double a, const Vector& w) const {
    check(cublasDscal(handles_.dense, A_.n, &a, w.get(), 1));
    add(1.0, v, w);
  }
  double advance(double a, const Vector& p, const Vector& q, const Vector& x, const Vector& r) const {
    add(a, p, x);
    add(-a, q, r);
    return std::sqrt(dot(r, r));
  }
  void multiply(const Vector& v, const Vector& w) const {
    check(cusparseSpMV(handles_.sparse, plain, &one, A_.description.get, v.description.get, &zero, w.description.get,
                       real, CUSPARSE_SPMV_ALG_DEFAULT, buffer_->get()));
  }

 protected:
  std::size_t rows() const { return static_cast<std::size_t>(A_.n); }
  void* buffer() const { return buffer_->get(); }

  CusparseHandles handles_;
  DeviceRows A_;
  DeviceVector b_;

 private:
  std::unique_ptr<DeviceArray<char>> buffer_;
};

}  // namespace terrace::perf
