// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs written with cuSPARSE and cuBLAS need around their calls: checked codes, arrays on the device, and
// cuSPARSE's descriptions of vectors, matrices and analysed triangles. On the default stream.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

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

inline constexpr double one = 1.0, zero = 0.0;
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

/// A vector with cuSPARSE's description of it.
struct DeviceVector : DeviceArray<double> {
  explicit DeviceVector(const std::vector<double>& from) : DeviceArray<double>(from) {
    check(cusparseCreateDnVec(&description, static_cast<std::int64_t>(from.size()), get(), CUDA_R_64F));
  }
  ~DeviceVector() { cusparseDestroyDnVec(description); }
  cusparseDnVecDescr_t description = nullptr;
};

/// Compressed rows: a copy of anything with a row_map, entries and values.
class DeviceRows {
 public:
  template <class Matrix>
  explicit DeviceRows(const Matrix& rows)
      : n(static_cast<int>(rows.row_map.size()) - 1),
        nnz(static_cast<int>(rows.entries.size())),
        row_map(rows.row_map),
        entries(rows.entries),
        values(rows.values) {
    check(cusparseCreateCsr(&description, n, n, nnz, row_map.get(), entries.get(), values.get(), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  }
  ~DeviceRows() { cusparseDestroySpMat(description); }

  int n, nnz;
  DeviceArray<int> row_map, entries;
  DeviceArray<double> values;
  cusparseSpMatDescr_t description = nullptr;
};

/// One triangle, analysed.
class Triangle {
 public:
  template <class Matrix>
  Triangle(cusparseHandle_t handle, const Matrix& rows, cusparseFillMode_t side, cusparseDiagType_t diagonal,
           const DeviceVector& in, const DeviceVector& out)
      : handle_(handle), rows_(rows) {
    check(cusparseSpMatSetAttribute(rows_.description, CUSPARSE_SPMAT_FILL_MODE, &side, sizeof(side)));
    check(cusparseSpMatSetAttribute(rows_.description, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof(diagonal)));
    check(cusparseSpSV_createDescr(&plan_));
    std::size_t bytes = 0;
    check(cusparseSpSV_bufferSize(handle_, plain, &one, rows_.description, in.description, out.description, CUDA_R_64F,
                                  CUSPARSE_SPSV_ALG_DEFAULT, plan_, &bytes));
    buffer_ = std::make_unique<DeviceArray<char>>(bytes);
    check(cusparseSpSV_analysis(handle_, plain, &one, rows_.description, in.description, out.description, CUDA_R_64F,
                                CUSPARSE_SPSV_ALG_DEFAULT, plan_, buffer_->get()));
  }
  ~Triangle() { cusparseSpSV_destroyDescr(plan_); }

  void solve(const DeviceVector& in, const DeviceVector& out) {
    check(cusparseSpSV_solve(handle_, plain, &one, rows_.description, in.description, out.description, CUDA_R_64F,
                             CUSPARSE_SPSV_ALG_DEFAULT, plan_));
  }

 private:
  cusparseHandle_t handle_;
  DeviceRows rows_;
  cusparseSpSVDescr_t plan_ = nullptr;
  std::unique_ptr<DeviceArray<char>> buffer_;
};

}  // namespace terrace::perf
