// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's generic triangular solves, SpSV for one right-hand side and SpSM for many: buffer, analysis, solve, on the
// default stream.
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <cstdint>
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

constexpr Real one = 1;
constexpr cudaDataType real = sizeof(Real) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F;
constexpr cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE;

/// What both need: the handle, the matrix, the buffer.
class Cusparse : public TriangularMethod {
 public:
  Cusparse() {
    check(cusparseCreate(&handle_));
    keep_freed_memory();
  }
  Cusparse(const Cusparse&) = delete;
  Cusparse& operator=(const Cusparse&) = delete;
  ~Cusparse() override {
    if (L_) cusparseDestroySpMat(L_);
    cusparseDestroy(handle_);
    cudaFreeAsync(buffer_, nullptr);
  }

  void wait() override { check(cudaDeviceSynchronize()); }

 private:
  /// So that an analysis finds the memory of the one before, as Terrace's does: cudaMalloc would be part of its time.
  static void keep_freed_memory() {
    int device = 0;
    cudaMemPool_t pool = nullptr;
    std::uint64_t everything = ~std::uint64_t(0);
    check(cudaGetDevice(&device));
    check(cudaDeviceGetDefaultMemPool(&pool, device));
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything));
  }

 protected:
  void describe_matrix(const MatrixView& L) {
    check(cusparseCreateCsr(&L_, L.n, L.n, static_cast<std::int64_t>(L.nnz), const_cast<int*>(L.row_map),
                            const_cast<int*>(L.entries), const_cast<Real*>(L.values), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, real));
    cusparseFillMode_t half = L.is_upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t stored = CUSPARSE_DIAG_TYPE_NON_UNIT;
    check(cusparseSpMatSetAttribute(L_, CUSPARSE_SPMAT_FILL_MODE, &half, sizeof(half)));
    check(cusparseSpMatSetAttribute(L_, CUSPARSE_SPMAT_DIAG_TYPE, &stored, sizeof(stored)));
    stand_in_ = const_cast<Real*>(L.values);
  }

  void* make_buffer(std::size_t bytes) {
    bytes_ = bytes;
    check(cudaMallocAsync(&buffer_, bytes, nullptr));
    return buffer_;
  }

  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t L_ = nullptr;
  void* stand_in_ = nullptr;  // for the vectors in the analysis, which looks at their sizes only

  std::size_t bytes_ = 0;

 private:
  void* buffer_ = nullptr;
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
    check(cusparseCreateDnVec(&b_, L.n, stand_in_, real));  // solve() puts the vectors in
    check(cusparseCreateDnVec(&x_, L.n, stand_in_, real));
    std::size_t bytes = 0;
    check(cusparseSpSV_bufferSize(handle_, operation, &one, L_, b_, x_, real, algorithm, plan_, &bytes));
    check(cusparseSpSV_analysis(handle_, operation, &one, L_, b_, x_, real, algorithm, plan_, make_buffer(bytes)));
    wait();
  }

  void solve(const Real* b, Real* x) override {
    check(cusparseDnVecSetValues(b_, const_cast<Real*>(b)));
    check(cusparseDnVecSetValues(x_, x));
    check(cusparseSpSV_solve(handle_, operation, &one, L_, b_, x_, real, algorithm, plan_));
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
    check(cusparseCreateDnMat(&B_, L.n, L.columns, L.n, stand_in_, real, CUSPARSE_ORDER_COL));
    check(cusparseCreateDnMat(&X_, L.n, L.columns, L.n, stand_in_, real, CUSPARSE_ORDER_COL));
    std::size_t bytes = 0;
    check(cusparseSpSM_bufferSize(handle_, operation, operation, &one, L_, B_, X_, real, algorithm, plan_, &bytes));
    check(cusparseSpSM_analysis(handle_, operation, operation, &one, L_, B_, X_, real, algorithm, plan_,
                                make_buffer(bytes)));
    wait();
  }

  void solve(const Real* b, Real* x) override {
    check(cusparseDnMatSetValues(B_, const_cast<Real*>(b)));
    check(cusparseDnMatSetValues(X_, x));
    check(cusparseSpSM_solve(handle_, operation, operation, &one, L_, B_, X_, real, algorithm, plan_));
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
  void solve(const Real* b, Real* x) override { method_->solve(b, x); }
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
