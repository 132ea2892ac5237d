// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's generic triangular solve, SpSV: buffer, analysis, solve, on the default stream.
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

class Cusparse final : public TriangularMethod {
 public:
  Cusparse() {
    check(cusparseCreate(&handle_));
    check(cusparseSpSV_createDescr(&plan_));
  }
  Cusparse(const Cusparse&) = delete;
  Cusparse& operator=(const Cusparse&) = delete;
  ~Cusparse() override {
    cusparseDestroyDnVec(b_);
    cusparseDestroyDnVec(x_);
    cusparseSpSV_destroyDescr(plan_);
    cusparseDestroySpMat(L_);
    cusparseDestroy(handle_);
    cudaFree(buffer_);
    cudaFree(scratch_);
  }

  void analyze(const MatrixView& L) override {
    describe_matrix(L);
    check(cudaMalloc(&scratch_, static_cast<std::size_t>(L.n) * sizeof(double)));
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

  void wait() override { check(cudaDeviceSynchronize()); }

  MethodFacts facts() const override { return {"SpSV", bytes_}; }

 private:
  static constexpr double one = 1.0;
  static constexpr cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr cusparseSpSVAlg_t algorithm = CUSPARSE_SPSV_ALG_DEFAULT;

  void describe_matrix(const MatrixView& L) {
    check(cusparseCreateCsr(&L_, L.n, L.n, static_cast<std::int64_t>(L.nnz), const_cast<int*>(L.row_map),
                            const_cast<int*>(L.entries), const_cast<double*>(L.values), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t stored = CUSPARSE_DIAG_TYPE_NON_UNIT;
    check(cusparseSpMatSetAttribute(L_, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof(lower)));
    check(cusparseSpMatSetAttribute(L_, CUSPARSE_SPMAT_DIAG_TYPE, &stored, sizeof(stored)));
  }

  cusparseHandle_t handle_ = nullptr;
  cusparseSpSVDescr_t plan_ = nullptr;
  cusparseSpMatDescr_t L_ = nullptr;
  cusparseDnVecDescr_t b_ = nullptr, x_ = nullptr;
  void* scratch_ = nullptr;
  void* buffer_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<TriangularMethod> make_cusparse(int) { return std::make_unique<Cusparse>(); }

std::string cuda_device_name() {
  int device = 0;
  cudaDeviceProp properties;
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  return properties.name;
}

}  // namespace terrace::perf
