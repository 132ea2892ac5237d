// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's generic triangular solves, SpSV for one right-hand side and SpSM for many: buffer, analysis, solve, on the
// default stream.
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <stdexcept>

#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

constexpr double one = 1.0;
constexpr cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE;

/// What both need: the handle, the matrix, the buffer.
class Cusparse : public TriangularMethod {
 public:
  Cusparse() { check(cusparseCreate(&handle_)); }
  Cusparse(const Cusparse&) = delete;
  Cusparse& operator=(const Cusparse&) = delete;
  ~Cusparse() override {
    if (L_) cusparseDestroySpMat(L_);
    cusparseDestroy(handle_);
    cudaFree(buffer_);
    cudaFree(scratch_);
  }

  void wait() override { check(cudaDeviceSynchronize()); }

 protected:
  void describe_matrix(const MatrixView& L) {
    check(cusparseCreateCsr(&L_, L.n, L.n, static_cast<std::int64_t>(L.nnz), const_cast<int*>(L.row_map),
                            const_cast<int*>(L.entries), const_cast<double*>(L.values), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t stored = CUSPARSE_DIAG_TYPE_NON_UNIT;
    check(cusparseSpMatSetAttribute(L_, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof(lower)));
    check(cusparseSpMatSetAttribute(L_, CUSPARSE_SPMAT_DIAG_TYPE, &stored, sizeof(stored)));
    check(cudaMalloc(&scratch_, static_cast<std::size_t>(L.n) * static_cast<std::size_t>(L.columns) * sizeof(double)));
  }

  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t L_ = nullptr;
  void* scratch_ = nullptr;  // stands in for the vectors in the analysis
  void* buffer_ = nullptr;
  std::size_t bytes_ = 0;
};

class SpSV final : public Cusparse {
 public:
  SpSV() { check(cusparseSpSV_createDescr(&plan_)); }
  ~SpSV() override {
    cusparseDestroyDnVec(b_);
    cusparseDestroyDnVec(x_);
    cusparseSpSV_destroyDescr(plan_);
  }

  void analyze(const MatrixView& L) override {
    describe_matrix(L);
    check(cusparseCreateDnVec(&b_, L.n, scratch_, CUDA_R_64F));  // solve() puts the vectors in
    check(cusparseCreateDnVec(&x_, L.n, scratch_, CUDA_R_64F));
    check(cusparseSpSV_bufferSize(handle_, operation, &one, L_, b_, x_, CUDA_R_64F, algorithm, plan_, &bytes_));
    check(cudaMalloc(&buffer_, bytes_));
    check(cusparseSpSV_analysis(handle_, operation, &one, L_, b_, x_, CUDA_R_64F, algorithm, plan_, buffer_));
    wait();
  }

  void solve(const double* b, double* x) override {
    check(cusparseDnVecSetValues(b_, const_cast<double*>(b)));
    check(cusparseDnVecSetValues(x_, x));
    check(cusparseSpSV_solve(handle_, operation, &one, L_, b_, x_, CUDA_R_64F, algorithm, plan_));
  }

  MethodFacts facts() const override { return {"SpSV", bytes_}; }

 private:
  static constexpr cusparseSpSVAlg_t algorithm = CUSPARSE_SPSV_ALG_DEFAULT;

  cusparseSpSVDescr_t plan_ = nullptr;
  cusparseDnVecDescr_t b_ = nullptr, x_ = nullptr;
};

/// B and X by columns.
class SpSM final : public Cusparse {
 public:
  SpSM() { check(cusparseSpSM_createDescr(&plan_)); }
  ~SpSM() override {
    cusparseDestroyDnMat(B_);
    cusparseDestroyDnMat(X_);
    cusparseSpSM_destroyDescr(plan_);
  }

  void analyze(const MatrixView& L) override {
    describe_matrix(L);
    check(cusparseCreateDnMat(&B_, L.n, L.columns, L.n, scratch_, CUDA_R_64F, CUSPARSE_ORDER_COL));
    check(cusparseCreateDnMat(&X_, L.n, L.columns, L.n, scratch_, CUDA_R_64F, CUSPARSE_ORDER_COL));
    check(cusparseSpSM_bufferSize(handle_, operation, operation, &one, L_, B_, X_, CUDA_R_64F, algorithm, plan_,
                                  &bytes_));
    check(cudaMalloc(&buffer_, bytes_));
    check(
        cusparseSpSM_analysis(handle_, operation, operation, &one, L_, B_, X_, CUDA_R_64F, algorithm, plan_, buffer_));
    wait();
  }

  void solve(const double* b, double* x) override {
    check(cusparseDnMatSetValues(B_, const_cast<double*>(b)));
    check(cusparseDnMatSetValues(X_, x));
    check(cusparseSpSM_solve(handle_, operation, operation, &one, L_, B_, X_, CUDA_R_64F, algorithm, plan_));
  }

  MethodFacts facts() const override { return {"SpSM", bytes_}; }

 private:
  static constexpr cusparseSpSMAlg_t algorithm = CUSPARSE_SPSM_ALG_DEFAULT;

  cusparseSpSMDescr_t plan_ = nullptr;
  cusparseDnMatDescr_t B_ = nullptr, X_ = nullptr;
};

/// SpSV or SpSM, as soon as the number of right-hand sides is known.
class Either final : public TriangularMethod {
 public:
  void analyze(const MatrixView& L) override {
    if (L.columns == 1) method_ = std::make_unique<SpSV>();
    else method_ = std::make_unique<SpSM>();
    method_->analyze(L);
  }
  void solve(const double* b, double* x) override { method_->solve(b, x); }
  void wait() override { method_->wait(); }
  MethodFacts facts() const override { return method_->facts(); }

 private:
  std::unique_ptr<Cusparse> method_;
};

}  // namespace

std::unique_ptr<TriangularMethod> make_cusparse(int) { return std::make_unique<Either>(); }

std::string cuda_device_name() {
  int device = 0;
  cudaDeviceProp properties;
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  return properties.name;
}

}  // namespace terrace::perf
