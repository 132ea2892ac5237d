// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iteration as one writes it with cuSPARSE and cuBLAS: two SpSV solves with the Cholesky factor, SpMV, dot, axpy,
// scal; csric02 factorizes. On the default stream, scalars on the host.
#include <cmath>

#include "peers/cusparse_objects.hpp"
#include "peers/grid_method.hpp"

namespace terrace::perf {
namespace {

/// csric02: analysed once, then factorized from a copy of A's values.
class IncompleteCholesky {
 public:
  IncompleteCholesky(cusparseHandle_t handle, const DeviceRows& A)
      : handle_(handle), A_(A), values_(std::size_t(A.nnz)) {
    check(cusparseCreateMatDescr(&matrix_));
    check(cusparseCreateCsric02Info(&info_));
    int bytes = 0;
    check(cusparseDcsric02_bufferSize(handle_, A_.n, A_.nnz, matrix_, values_.get(), A_.row_map.get(), A_.entries.get(),
                                      info_, &bytes));
    buffer_ = std::make_unique<DeviceArray<char>>(static_cast<std::size_t>(bytes));
    copy_values();
    check(cusparseDcsric02_analysis(handle_, A_.n, A_.nnz, matrix_, values_.get(), A_.row_map.get(), A_.entries.get(),
                                    info_, CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer_->get()));
  }
  ~IncompleteCholesky() {
    cusparseDestroyCsric02Info(info_);
    cusparseDestroyMatDescr(matrix_);
  }

  void factorize() {
    copy_values();
    check(cusparseDcsric02(handle_, A_.n, A_.nnz, matrix_, values_.get(), A_.row_map.get(), A_.entries.get(), info_,
                           CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer_->get()));
  }

 private:
  void copy_values() {
    check(cudaMemcpyAsync(values_.get(), A_.values.get(), static_cast<std::size_t>(A_.nnz) * sizeof(double),
                          cudaMemcpyDeviceToDevice));
  }

  cusparseHandle_t handle_;
  const DeviceRows& A_;
  DeviceArray<double> values_;
  cusparseMatDescr_t matrix_ = nullptr;
  csric02Info_t info_ = nullptr;
  std::unique_ptr<DeviceArray<char>> buffer_;
};

class GridCusparse final : public GridMethod {
 public:
  GridCusparse() {
    check(cusparseCreate(&sparse_));
    check(cublasCreate(&dense_));
  }
  GridCusparse(const GridCusparse&) = delete;
  GridCusparse& operator=(const GridCusparse&) = delete;
  ~GridCusparse() override {
    state_.reset();
    cublasDestroy(dense_);
    cusparseDestroy(sparse_);
  }

  void set_up(const GridSystem& system) override { state_ = std::make_unique<State>(sparse_, system); }

  void run(GridOperation operation, int iterations) override {
    State& s = *state_;
    switch (operation) {
      case GridOperation::Factorize: return s.cholesky.factorize();
      case GridOperation::Apply: return apply(s.b);
      case GridOperation::Multiply: return multiply(s.b);
      case GridOperation::Iterate: return iterate(iterations);
    }
  }

  void wait() override { check(cudaDeviceSynchronize()); }

  std::vector<double> result(GridOperation operation) override {
    const State& s = *state_;
    const DeviceVector& from = operation == GridOperation::Apply      ? s.z
                               : operation == GridOperation::Multiply ? s.q
                                                                      : s.x;
    return from.download(static_cast<std::size_t>(s.A.n));
  }

  std::string label() const override { return "SpSV, SpMV, csric02, cuBLAS"; }

 private:
  struct State {
    State(cusparseHandle_t handle, const GridSystem& system)
        : A(system.A),
          b(system.b),
          x(system.b),
          r(system.b),
          y(system.b),
          z(system.b),
          p(system.b),
          q(system.b),
          lower(handle, by_columns(system.lower, system.inverse), CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_NON_UNIT,
                r, y),
          upper(handle, by_rows(system.upper, system.inverse), CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT, y,
                z),
          cholesky(handle, A),
          buffer(buffer_size(handle)) {}

    /// M = C C^T with C = (D + L) D^-1/2, which needs no product with D between the solves.
    static Rows by_columns(Rows rows, const std::vector<double>& inverse) {
      for (std::size_t k = 0; k < rows.values.size(); ++k) rows.values[k] *= std::sqrt(inverse[rows.entries[k]]);
      return rows;
    }
    static Rows by_rows(Rows rows, const std::vector<double>& inverse) {
      for (std::size_t row = 0; row < inverse.size(); ++row)
        for (int k = rows.row_map[row]; k < rows.row_map[row + 1]; ++k) rows.values[k] *= std::sqrt(inverse[row]);
      return rows;
    }
    std::size_t buffer_size(cusparseHandle_t handle) const {
      std::size_t bytes = 0;
      check(cusparseSpMV_bufferSize(handle, plain, &one, A.description, p.description, &zero, q.description, CUDA_R_64F,
                                    CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
      return bytes;
    }

    DeviceRows A;
    DeviceVector b, x, r, y, z, p, q;
    Triangle lower, upper;
    IncompleteCholesky cholesky;
    DeviceArray<char> buffer;
  };

  int n() const { return state_->A.n; }

  void apply(const DeviceVector& r) {
    State& s = *state_;
    s.lower.solve(r, s.y);
    s.upper.solve(s.y, s.z);
  }

  void multiply(const DeviceVector& p) {
    State& s = *state_;
    check(cusparseSpMV(sparse_, plain, &one, s.A.description, p.description, &zero, s.q.description, CUDA_R_64F,
                       CUSPARSE_SPMV_ALG_DEFAULT, s.buffer.get()));
  }

  double dot(const DeviceVector& a, const DeviceVector& b) {
    double sum = 0.0;
    check(cublasDdot(dense_, n(), a.get(), 1, b.get(), 1, &sum));
    return sum;
  }

  void add(double factor, const DeviceVector& a, const DeviceVector& to) {
    check(cublasDaxpy(dense_, n(), &factor, a.get(), 1, to.get(), 1));
  }

  void iterate(int iterations) {
    State& s = *state_;
    check(cudaMemsetAsync(s.x.get(), 0, static_cast<std::size_t>(n()) * sizeof(double)));
    check(cublasDcopy(dense_, n(), s.b.get(), 1, s.r.get(), 1));
    double rho = 1.0;
    for (int k = 0; k < iterations; ++k) {
      apply(s.r);
      const double before = rho;
      rho = dot(s.r, s.z);
      const double beta = k == 0 ? 0.0 : rho / before;
      check(cublasDscal(dense_, n(), &beta, s.p.get(), 1));
      add(1.0, s.z, s.p);
      multiply(s.p);
      const double alpha = rho / dot(s.p, s.q);
      add(alpha, s.p, s.x);
      add(-alpha, s.q, s.r);
      norm_ = dot(s.r, s.r);
    }
  }

  cusparseHandle_t sparse_ = nullptr;
  cublasHandle_t dense_ = nullptr;
  std::unique_ptr<State> state_;
  double norm_ = 0.0;
};

}  // namespace

std::unique_ptr<GridMethod> make_grid_cusparse() { return std::make_unique<GridCusparse>(); }

}  // namespace terrace::perf
