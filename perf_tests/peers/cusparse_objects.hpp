// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs written with cuSPARSE and cuBLAS need around their calls: checked codes, arrays on the device, and
// cuSPARSE's descriptions of vectors, matrices and analyzed triangles. On the default stream.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

inline void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}
inline void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}
inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

inline constexpr Real one = 1, zero = 0;
inline constexpr cudaDataType real = sizeof(Real) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F;
inline constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

/// Numbers on the device.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) { check(cudaMalloc(&data_, (count + 1) * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& from) : DeviceArray(from.size()) {
    check(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }
  T* get() const { return static_cast<T*>(data_); }

  std::vector<T> download(std::size_t count) const {
    std::vector<T> numbers(count);
    check(cudaMemcpy(numbers.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost));
    return numbers;
  }

 private:
  void* data_ = nullptr;
};

/// Numbers that lie on the device, as cuSPARSE describes a vector.
struct VectorDescription {
  VectorDescription(std::size_t n, Real* numbers) {
    check(cusparseCreateDnVec(&get, static_cast<std::int64_t>(n), numbers, real));
  }
  VectorDescription(const VectorDescription&) = delete;
  VectorDescription& operator=(const VectorDescription&) = delete;
  ~VectorDescription() { cusparseDestroyDnVec(get); }
  cusparseDnVecDescr_t get = nullptr;
};

/// And compressed rows.
struct MatrixDescription {
  MatrixDescription(int n, std::size_t nnz, const int* row_map, const int* entries, const Real* values) {
    check(cusparseCreateCsr(&get, n, n, static_cast<std::int64_t>(nnz), const_cast<int*>(row_map),
                            const_cast<int*>(entries), const_cast<Real*>(values), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, real));
  }
  MatrixDescription(const MatrixDescription&) = delete;
  MatrixDescription& operator=(const MatrixDescription&) = delete;
  ~MatrixDescription() { cusparseDestroySpMat(get); }

  void make_triangle(cusparseFillMode_t side, cusparseDiagType_t diagonal) const {
    check(cusparseSpMatSetAttribute(get, CUSPARSE_SPMAT_FILL_MODE, &side, sizeof(side)));
    check(cusparseSpMatSetAttribute(get, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof(diagonal)));
  }

  cusparseSpMatDescr_t get = nullptr;
};

/// A vector on the device with its description.
struct DeviceVector : DeviceArray<Real> {
  explicit DeviceVector(const std::vector<Real>& from) : DeviceArray<Real>(from), description(from.size(), get()) {}
  VectorDescription description;
};

/// A copy of a matrix on the device with its description.
struct DeviceRows {
  explicit DeviceRows(const Rows& A)
      : n(A.n),
        nnz(static_cast<int>(A.nnz())),
        row_map(A.row_map),
        entries(A.entries),
        values(A.values),
        description(n, A.nnz(), row_map.get(), entries.get(), values.get()) {}

  int n, nnz;
  DeviceArray<int> row_map, entries;
  DeviceArray<Real> values;
  MatrixDescription description;
};

/// So that an analysis finds the memory of the one before, as Terrace's does: cudaMalloc would be part of its time.
inline void keep_freed_memory() {
  int device = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t everything = ~std::uint64_t(0);
  check(cudaGetDevice(&device));
  check(cudaDeviceGetDefaultMemPool(&pool, device));
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything));
}

/// Numbers at some places of a vector, as cuSPARSE describes a sparse one.
struct SparseVectorDescription {
  SparseVectorDescription(int n, int count, int* places, Real* numbers) {
    check(cusparseCreateSpVec(&get, n, count, places, numbers, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, real));
  }
  SparseVectorDescription(const SparseVectorDescription&) = delete;
  SparseVectorDescription& operator=(const SparseVectorDescription&) = delete;
  ~SparseVectorDescription() { cusparseDestroySpVec(get); }
  cusparseSpVecDescr_t get = nullptr;
};

/// cuSPARSE's triangular solve with one right-hand side. Its buffer comes from the device's memory pool.
class SpSV {
 public:
  SpSV() { check(cusparseSpSV_createDescr(&plan_)); }
  SpSV(const SpSV&) = delete;
  SpSV& operator=(const SpSV&) = delete;
  ~SpSV() {
    cusparseSpSV_destroyDescr(plan_);
    cudaFreeAsync(buffer_, nullptr);
  }

  /// Looks at the sizes of the vectors only.
  void analyze(cusparseHandle_t handle, const MatrixDescription& L, const VectorDescription& b,
               const VectorDescription& x) {
    check(cusparseSpSV_bufferSize(handle, plain, &one, L.get, b.get, x.get, real, algorithm, plan_, &bytes_));
    check(cudaMallocAsync(&buffer_, bytes_, nullptr));
    check(cusparseSpSV_analysis(handle, plain, &one, L.get, b.get, x.get, real, algorithm, plan_, buffer_));
  }
  /// New values for the same pattern.
  void update(cusparseHandle_t handle, Real* values) {
    check(cusparseSpSV_updateMatrix(handle, plan_, values, CUSPARSE_SPSV_UPDATE_GENERAL));
  }
  void solve(cusparseHandle_t handle, const MatrixDescription& L, const VectorDescription& b,
             const VectorDescription& x) {
    check(cusparseSpSV_solve(handle, plain, &one, L.get, b.get, x.get, real, algorithm, plan_));
  }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr cusparseSpSVAlg_t algorithm = CUSPARSE_SPSV_ALG_DEFAULT;
  cusparseSpSVDescr_t plan_ = nullptr;
  std::size_t bytes_ = 0;
  void* buffer_ = nullptr;
};

/// Both triangles in one array of values, analyzed for SpSV.
class FactorSolves {
 public:
  FactorSolves(cusparseHandle_t handle, const DeviceRows& M, Real* values, const DeviceVector& any)
      : handle_(handle),
        lower_(M.n, static_cast<std::size_t>(M.nnz), M.row_map.get(), M.entries.get(), values),
        upper_(M.n, static_cast<std::size_t>(M.nnz), M.row_map.get(), M.entries.get(), values) {
    lower_.make_triangle(CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT);
    upper_.make_triangle(CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT);
    lower_plan_.analyze(handle, lower_, any.description, any.description);
    upper_plan_.analyze(handle, upper_, any.description, any.description);
  }

  void update(Real* values) {
    lower_plan_.update(handle_, values);
    upper_plan_.update(handle_, values);
  }

  void solve(const DeviceVector& in, const DeviceVector& half, const DeviceVector& out) {
    lower_plan_.solve(handle_, lower_, in.description, half.description);
    upper_plan_.solve(handle_, upper_, half.description, out.description);
  }

  std::size_t bytes() const { return lower_plan_.bytes() + upper_plan_.bytes(); }

 private:
  cusparseHandle_t handle_;
  MatrixDescription lower_, upper_;
  SpSV lower_plan_, upper_plan_;
};

/// One triangle of a matrix, copied and analyzed.
class Triangle {
 public:
  Triangle(cusparseHandle_t handle, const Rows& rows, cusparseFillMode_t side, cusparseDiagType_t diagonal,
           const DeviceVector& any)
      : handle_(handle), rows_(rows) {
    rows_.description.make_triangle(side, diagonal);
    plan_.analyze(handle_, rows_.description, any.description, any.description);
  }

  void solve(const DeviceVector& in, const DeviceVector& out) {
    plan_.solve(handle_, rows_.description, in.description, out.description);
  }

 private:
  cusparseHandle_t handle_;
  DeviceRows rows_;
  SpSV plan_;
};

}  // namespace terrace::perf
